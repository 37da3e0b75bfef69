import Glibc

/// Client requests to Valgrind's memcheck from inside the program that it runs.
///
/// A client request is a short instruction sequence that has no effect on a processor and that Valgrind recognizes
/// (`valgrind.h`). Swift has no inline assembly, so the instructions are written to an executable page and called as a C
/// function.
@safe struct Memcheck {
    private typealias Instructions = @convention(c) (UnsafePointer<UInt>, UInt) -> UInt

    private let instructions: Instructions

    /// Creates an interface to memcheck. Returns `nil` if the program does not run under Valgrind.
    init?() {
        guard let instructions = unsafe Self.page() else { return nil }
        unsafe self.instructions = instructions
        if request(.runningOnValgrind) == 0 { return nil }
    }

    /// Marks bytes as secret: memcheck reports each later branch and address that depends on them.
    func makeUndefined(_ bytes: UnsafeRawBufferPointer) {
        request(.makeMemoryUndefined, UInt(bitPattern: bytes.baseAddress), UInt(bytes.count))
    }

    /// Marks bytes as public.
    func makeDefined(_ bytes: UnsafeRawBufferPointer) {
        request(.makeMemoryDefined, UInt(bitPattern: bytes.baseAddress), UInt(bytes.count))
    }

    /// Returns the number of bytes with a bit that depends on a secret.
    func undefinedByteCount(_ bytes: UnsafeRawBufferPointer) -> Int {
        let bits = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 1)
        defer { unsafe bits.deallocate() }
        let status = request(
            .getValidityBits, UInt(bitPattern: bytes.baseAddress), UInt(bitPattern: bits.baseAddress), UInt(bytes.count)
        )
        precondition(status == 1, "memcheck returned no validity bits")
        return unsafe bits.count { $0 != 0 }
    }
}

extension Memcheck {
    /// The used requests of `valgrind.h` and `memcheck.h`.
    private enum Request: UInt {
        case runningOnValgrind = 0x1001
        case makeMemoryUndefined = 0x4d43_0001
        case makeMemoryDefined = 0x4d43_0002
        case getValidityBits = 0x4d43_0008
    }

    @discardableResult
    private func request(_ request: Request, _ first: UInt = 0, _ second: UInt = 0, _ third: UInt = 0) -> UInt {
        let words = [request.rawValue, first, second, third, 0, 0]
        return unsafe words.withUnsafeBufferPointer { unsafe instructions($0.baseAddress.unsafelyUnwrapped, 0) }
    }

    /// Returns the instructions for amd64, in executable memory.
    private static func page() -> Instructions? {
        #if arch(x86_64)
        let code: [UInt8] = [
            0x48, 0x89, 0xf8,  // mov rax, rdi: request
            0x48, 0x89, 0xf2,  // mov rdx, rsi: default result without Valgrind
            0x48, 0xc1, 0xc7, 3,  // rol rdi, 3: four rotations by 128 bits in total
            0x48, 0xc1, 0xc7, 13,  // rol rdi, 13
            0x48, 0xc1, 0xc7, 61,  // rol rdi, 61
            0x48, 0xc1, 0xc7, 51,  // rol rdi, 51
            0x48, 0x87, 0xdb,  // xchg rbx, rbx: issues the request
            0x48, 0x89, 0xd0,  // mov rax, rdx
            0xc3,  // ret
        ]
        let page = unsafe mmap(nil, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
        guard let page = unsafe page, unsafe page != MAP_FAILED else { return nil }
        unsafe page.copyMemory(from: code, byteCount: code.count)
        guard unsafe mprotect(page, 4096, PROT_READ | PROT_EXEC) == 0 else { return nil }
        return unsafe unsafeBitCast(page, to: Instructions.self)
        #else
        return nil
        #endif
    }
}

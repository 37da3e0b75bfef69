#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Pages of memory between two that nobody may touch: to read a byte too far ends the process.
@safe final class GuardedMemory {
    struct Unavailable: Error {}

    private let start: UnsafeMutableRawPointer
    private let pageSize: Int
    private let pageCount: Int

    init(pageCount: Int) throws {
        pageSize = Int(getpagesize())
        self.pageCount = pageCount
        let length = (pageCount + 2) * pageSize
        let flags = MAP_PRIVATE | mapAnonymous
        guard let memory = unsafe mmap(nil, length, PROT_READ | PROT_WRITE, flags, -1, 0), unsafe memory != MAP_FAILED
        else {
            throw Unavailable()
        }
        unsafe start = unsafe memory
        unsafe mprotect(memory, pageSize, PROT_NONE)
        unsafe mprotect(memory + (pageCount + 1) * pageSize, pageSize, PROT_NONE)
        for (index, byte) in painted(pageCount * pageSize).enumerated() {
            unsafe memory.storeBytes(of: byte, toByteOffset: pageSize + index, as: UInt8.self)
        }
    }

    deinit {
        unsafe munmap(start, (pageCount + 2) * pageSize)
    }

    /// The first bytes: no byte before them can be read.
    func prefix(_ count: Int) -> UnsafeRawBufferPointer {
        unsafe UnsafeRawBufferPointer(start: start + pageSize, count: count)
    }

    /// The last bytes: no byte behind them can be read.
    func suffix(_ count: Int) -> UnsafeRawBufferPointer {
        unsafe UnsafeRawBufferPointer(start: start + (pageCount + 1) * pageSize - count, count: count)
    }
}

#if canImport(Darwin)
private let mapAnonymous = MAP_ANON
#else
private let mapAnonymous = MAP_ANONYMOUS
#endif

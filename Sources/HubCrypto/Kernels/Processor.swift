#if arch(x86_64)
import Builtin
import _Builtin_intrinsics.intel.cpuid
#endif

/// The instruction set extensions that both the processor and the operating system support.
struct Processor: OptionSet {
    let rawValue: UInt8

    /// The SHA extensions together with SSSE3 and SSE4.1.
    static let x86SHA = Processor(rawValue: 1)
    /// AVX-512 F and BW, with register state saved by the operating system.
    static let avx512 = Processor(rawValue: 2)
    /// The Armv8 SHA-2 instructions.
    static let armSHA = Processor(rawValue: 4)

    /// Returns the extensions of this machine.
    static func detected() -> Processor {
        #if arch(x86_64)
        return detectedByCPUID()
        #elseif arch(arm64) && canImport(Darwin)
        return .armSHA  // Every Apple arm64 processor has them.
        #elseif arch(arm64)
        return getauxval(hardwareCapabilities) & sha2Capability != 0 ? .armSHA : []
        #else
        return []
        #endif
    }
}

#if arch(x86_64)
extension Processor {
    private static func detectedByCPUID() -> Processor {
        guard let leaf1 = cpuid(1), let leaf7 = cpuid(7) else { return [] }
        var features: Processor = []
        let hasSSSE3 = leaf1.c.hasBit(9)
        let hasSSE41 = leaf1.c.hasBit(19)
        if hasSSSE3, hasSSE41, leaf7.b.hasBit(29) { features.insert(.x86SHA) }

        let hasOSXSAVE = leaf1.c.hasBit(27)
        let hasAVX512F = leaf7.b.hasBit(16)
        let hasAVX512BW = leaf7.b.hasBit(30)
        // XCR0: SSE, AVX, opmask and both groups of ZMM registers.
        let registers: Int64 = 0b1110_0110
        if hasOSXSAVE, hasAVX512F, hasAVX512BW, xgetbv(0) & registers == registers { features.insert(.avx512) }
        return features
    }

    private static func cpuid(_ leaf: UInt32) -> (b: UInt32, c: UInt32)? {
        var (a, b, c, d): (UInt32, UInt32, UInt32, UInt32) = (0, 0, 0, 0)
        guard unsafe __get_cpuid_count(leaf, 0, &a, &b, &c, &d) == 1 else { return nil }
        return (b, c)
    }
}

extension UInt32 {
    fileprivate func hasBit(_ number: Int) -> Bool { self >> number & 1 == 1 }
}

/// Executes XGETBV through a compiler builtin, because Swift does not import Clang's macro.
///
/// Call only if CPUID reports OSXSAVE. Swift 6.2 does not have the builtin: there, the result is 0, so AVX-512 is not used.
private func xgetbv(_ index: Int32) -> Int64 {
    #if compiler(>=6.3)
    Int64(Builtin.int_x86_xgetbv(index._value))
    #else
    0
    #endif
}

#elseif arch(arm64) && !canImport(Darwin)
/// `AT_HWCAP` and `HWCAP_SHA2` on Linux arm64.
private let hardwareCapabilities: UInt = 16
private let sha2Capability: UInt = 1 << 6

/// The C library's function. Swift's module of Glibc does not contain it.
@_extern(c, "getauxval")
private func getauxval(_ type: UInt) -> UInt
#endif

import HubCryptoPortable

#if HardwareKernels && arch(x86_64)
import HubCryptoAVX512
import HubCryptoX86SHA
#elseif HardwareKernels && arch(arm64)
import HubCryptoARMSHA
#endif

extension SHA256 {
    /// An implementation of the SHA-256 compression function for one kind of processor.
    public struct Kernel: Hashable, Sendable, CustomStringConvertible {
        package enum ID: String, Hashable, Sendable, CaseIterable {
            case portable
            case x86SHA = "x86-sha"
            case avx512
            case armSHA = "arm-sha"
        }

        package let id: ID

        package init(_ id: ID) { self.id = id }

        /// Portable Swift, for every processor.
        public static let portable = Kernel(.portable)
        /// The x86 SHA extensions. Batches process two messages in parallel.
        public static let x86SHA = Kernel(.x86SHA)
        /// AVX-512. Batches process sixteen messages in parallel; single messages are not supported.
        public static let avx512 = Kernel(.avx512)
        /// The Armv8 SHA-2 instructions.
        public static let armSHA = Kernel(.armSHA)

        package static let all = ID.allCases.map { Kernel($0) }

        /// The name, such as `x86-sha`.
        public var rawValue: String { id.rawValue }

        /// The name, such as `x86-sha`.
        public var description: String { rawValue }
    }

    /// The kernel that hashes single messages in this process.
    ///
    /// It is chosen at first use, from the capabilities of the processor and the operating system.
    public static var activeKernel: Kernel { Kernel(KernelChoice.best.single) }

    /// The widest kernel that hashes batches in this process.
    public static var activeBatchKernel: Kernel {
        Kernel(KernelChoice.best.hasLanes ? .avx512 : KernelChoice.best.single)
    }
}

/// The kernels in use: one for single messages and optionally a wider one for batches.
@usableFromInline
package struct KernelChoice: Hashable, Sendable {
    /// The kernel for single messages; never ``SHA256/Kernel/avx512``, which supports only batches.
    let single: SHA256.Kernel.ID
    /// Whether batches use the sixteen lanes of AVX-512.
    let hasLanes: Bool

    /// The fastest available kernels, detected once.
    package static let best = KernelChoice(Processor.detected())

    private init(_ processor: Processor) {
        single = Self.single(on: processor)
        hasLanes = Self.hasLanes(on: processor)
    }

    /// Creates a choice that forces one kernel. The portable kernel handles single messages if the forced kernel
    /// supports only batches.
    ///
    /// - Throws: ``KernelUnavailableError`` if this machine or this build does not have the kernel.
    package init(forcing kernel: SHA256.Kernel) throws(KernelUnavailableError) {
        let processor = Processor.detected()
        switch kernel.id {
        case .portable:
            (single, hasLanes) = (.portable, false)
        case .avx512:
            guard Self.hasLanes(on: processor) else { throw KernelUnavailableError(kernel: kernel) }
            (single, hasLanes) = (.portable, true)
        case .x86SHA, .armSHA:
            guard Self.single(on: processor) == kernel.id else { throw KernelUnavailableError(kernel: kernel) }
            (single, hasLanes) = (kernel.id, false)
        }
    }

    private static func single(on processor: Processor) -> SHA256.Kernel.ID {
        #if HardwareKernels && arch(x86_64)
        return processor.contains(.x86SHA) ? .x86SHA : .portable
        #elseif HardwareKernels && arch(arm64)
        return processor.contains(.armSHA) ? .armSHA : .portable
        #else
        return .portable
        #endif
    }

    private static func hasLanes(on processor: Processor) -> Bool {
        #if HardwareKernels && arch(x86_64)
        return processor.contains(.avx512)
        #else
        return false
        #endif
    }
}

/// A requested kernel that this machine or this build does not have.
package struct KernelUnavailableError: Error, Hashable {
    /// The unavailable kernel.
    package let kernel: SHA256.Kernel

    /// Creates an error for a kernel.
    package init(kernel: SHA256.Kernel) {
        self.kernel = kernel
    }
}

/// A hash value H: the words H₀ to H₇ in order (FIPS 180-4 §6.2).
typealias HashValue = SIMD8<UInt32>

extension KernelChoice {
    /// Absorbs whole blocks into a hash value with the kernel for single messages.
    @inline(__always)
    func compress(_ hash: inout HashValue, _ blocks: UnsafeRawPointer, count: Int) {
        switch single {
        #if HardwareKernels && arch(x86_64)
        case .x86SHA: unsafe X86SHAKernel.compress(&hash, blocks, count: count)
        #elseif HardwareKernels && arch(arm64)
        case .armSHA: unsafe ARMSHAKernel.compress(&hash, blocks, count: count)
        #endif
        default: unsafe PortableKernel.compress(&hash, blocks, count: count)
        }
    }

    /// Whether a kernel processes two messages in parallel.
    @inline(__always)
    var hasPair: Bool { single == .x86SHA || single == .armSHA }

    /// Absorbs the same number of blocks into two hash values. Requires ``hasPair``.
    func compressPair(
        _ first: inout HashValue, _ firstBlocks: UnsafeRawPointer,
        _ second: inout HashValue, _ secondBlocks: UnsafeRawPointer, count: Int
    ) {
        #if HardwareKernels && arch(x86_64)
        unsafe X86SHAKernel.compressPair(&first, firstBlocks, &second, secondBlocks, count: count)
        #elseif HardwareKernels && arch(arm64)
        unsafe ARMSHAKernel.compressPair(&first, firstBlocks, &second, secondBlocks, count: count)
        #else
        preconditionFailure("no pair kernel on this architecture")
        #endif
    }

    /// Absorbs the same number of blocks into each of sixteen hash values. Requires ``hasLanes``.
    func compressLanes(
        _ hashes: UnsafeMutablePointer<HashValue>, _ blocks: UnsafePointer<UnsafeRawPointer>, count: Int
    ) {
        #if HardwareKernels && arch(x86_64)
        unsafe AVX512Kernel.compressLanes(hashes, blocks, count: count)
        #else
        preconditionFailure("no lane kernel on this architecture")
        #endif
    }
}

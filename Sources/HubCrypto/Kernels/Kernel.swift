import HubCryptoPortable

#if HardwareKernels && arch(x86_64)
import HubCryptoAVX512
import HubCryptoX86SHA
#elseif HardwareKernels && arch(arm64)
import HubCryptoARMSHA
#endif

extension SHA256 {
    /// An implementation of the compression function for one kind of processor.
    public struct Kernel: Hashable, Sendable, CustomStringConvertible {
        package enum ID: String, Hashable, Sendable, CaseIterable {
            case portable
            case x86SHA = "x86-sha"
            case avx512
            case armSHA = "arm-sha"
        }

        package let id: ID

        package init(_ id: ID) { self.id = id }

        /// Plain Swift, for every processor.
        public static let portable = Kernel(.portable)
        /// The x86 SHA extensions; two messages at once in batches.
        public static let x86SHA = Kernel(.x86SHA)
        /// AVX-512: sixteen messages at once, in batches only.
        public static let avx512 = Kernel(.avx512)
        /// The SHA-2 instructions of Armv8.
        public static let armSHA = Kernel(.armSHA)

        package static let all = ID.allCases.map { Kernel($0) }

        /// The name, such as `x86-sha`.
        public var rawValue: String { id.rawValue }

        /// The name, such as `x86-sha`.
        public var description: String { rawValue }
    }

    /// The kernel that hashes single messages in this process, chosen by the processor and the operating system.
    public static var activeKernel: Kernel { Kernel(KernelChoice.best.single) }

    /// The widest kernel that hashes batches in this process.
    public static var activeBatchKernel: Kernel {
        Kernel(KernelChoice.best.hasLanes ? .avx512 : KernelChoice.best.single)
    }
}

/// Which kernels serve: one for a message by itself, and perhaps a wider one for many.
package struct KernelChoice: Hashable, Sendable {
    /// Serves a message by itself. Never ``SHA256/Kernel/avx512``, which has no such form.
    let single: SHA256.Kernel.ID
    /// Whether AVX-512's sixteen lanes serve batches.
    let hasLanes: Bool

    /// What serves unless a test says otherwise: the fastest that there is, found out once.
    package static let best = KernelChoice(Processor.detected())

    private init(_ processor: Processor) {
        single = Self.single(on: processor)
        hasLanes = Self.hasLanes(on: processor)
    }

    /// One kernel and no other, but for what it has no form for, where the portable one steps in.
    ///
    /// - Throws: ``KernelUnavailable`` if this machine, or this build, does not have it.
    package init(forcing kernel: SHA256.Kernel) throws(KernelUnavailable) {
        let processor = Processor.detected()
        switch kernel.id {
        case .portable:
            (single, hasLanes) = (.portable, false)
        case .avx512:
            guard Self.hasLanes(on: processor) else { throw KernelUnavailable(kernel: kernel) }
            (single, hasLanes) = (.portable, true)
        case .x86SHA, .armSHA:
            guard Self.single(on: processor) == kernel.id else { throw KernelUnavailable(kernel: kernel) }
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

/// A kernel that was asked for by name, and that this machine or this build does not have.
package struct KernelUnavailable: Error, Hashable {
    /// The kernel.
    package let kernel: SHA256.Kernel

    /// Says which one.
    package init(kernel: SHA256.Kernel) {
        self.kernel = kernel
    }
}

/// A hash value H, its words H₀ to H₇ in order (FIPS 180-4 §6.2).
typealias HashValue = SIMD8<UInt32>

extension KernelChoice {
    /// Absorbs whole blocks into a hash value, by the kernel for a message by itself.
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

    /// Whether two messages at once take less time than one after the other.
    @inline(__always)
    var hasPair: Bool { single == .x86SHA }

    /// Absorbs equally many blocks into two hash values. Only where ``hasPair`` says so.
    func compressPair(
        _ first: inout HashValue, _ firstBlocks: UnsafeRawPointer,
        _ second: inout HashValue, _ secondBlocks: UnsafeRawPointer, count: Int
    ) {
        #if HardwareKernels && arch(x86_64)
        unsafe X86SHAKernel.compressPair(&first, firstBlocks, &second, secondBlocks, count: count)
        #else
        preconditionFailure("this machine has no kernel for a pair")
        #endif
    }

    /// Absorbs equally many blocks into each of sixteen hash values. Only where ``hasLanes`` says so.
    func compressLanes(
        _ hashes: UnsafeMutablePointer<HashValue>, _ blocks: UnsafePointer<UnsafeRawPointer>, count: Int
    ) {
        #if HardwareKernels && arch(x86_64)
        unsafe AVX512Kernel.compressLanes(hashes, blocks, count: count)
        #else
        preconditionFailure("this machine has no kernel with lanes")
        #endif
    }
}

import HubCryptoPortable

#if HardwareKernels && arch(x86_64)
import HubCryptoAVX512
import HubCryptoX86SHA
#elseif HardwareKernels && arch(arm64)
import HubCryptoARMSHA
#endif

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

import HubCryptoPortable

#if HardwareKernels && arch(x86_64)
import HubCryptoX86SHA
#elseif HardwareKernels && arch(arm64)
import HubCryptoARMSHA
#endif

extension KernelChoice {
    /// Absorbs the last blocks of a message into the inner state, then the inner digest into the outer state.
    ///
    /// - Parameters:
    ///   - hash: The inner state, replaced by the hash value of the authentication code.
    ///   - outer: The outer state, which has absorbed the first of its two blocks.
    @inline(__always)
    func authenticate(_ hash: inout HashValue, outer: HashValue, _ blocks: UnsafeRawPointer, count: Int) {
        switch single {
        #if HardwareKernels && arch(x86_64)
        case .x86SHA: unsafe X86SHAKernel.authenticate(&hash, outer, blocks, count: count)
        #elseif HardwareKernels && arch(arm64)
        case .armSHA: unsafe ARMSHAKernel.authenticate(&hash, outer, blocks, count: count)
        #endif
        default:
            unsafe PortableKernel.compress(&hash, blocks, count: count)
            var block = OuterBlock(hash)
            hash = outer
            unsafe withUnsafeMutableBytes(of: &block) {
                unsafe PortableKernel.compress(&hash, $0.baseAddress.unsafelyUnwrapped, count: 1)
            }
        }
    }
}

/// The block after the outer key block: the inner digest, the padding and the length in bits of both blocks.
struct OuterBlock {
    private let digest: BigEndianWords
    private let padding = SIMD8<UInt32>(
        UInt32(0x8000_0000).bigEndian, 0, 0, 0, 0, 0, 0, UInt32((64 + 32) * 8).bigEndian)

    @inline(__always)
    init(_ inner: HashValue) {
        digest = BigEndianWords(inner)
    }
}

import HubCrypto
import HubCryptoPortable

#if HardwareKernels && arch(x86_64)
import HubCryptoAVX512
import HubCryptoX86SHA
#elseif HardwareKernels && arch(arm64)
import HubCryptoARMSHA
#endif

/// The compression functions, called directly: all hash values and blocks are zero, or random.
enum KernelCases {
    static var all: [Case] {
        var cases = [
            unsafe kernel("portable", width: 1) { states, blocks in
                unsafe PortableKernel.compress(&states[0], blocks[0], count: 1)
            }
        ]
        #if HardwareKernels && arch(x86_64)
        if SHA256.Kernel.x86SHA.choice != nil {
            cases += [
                unsafe kernel("x86-sha", width: 1) { states, blocks in
                    unsafe X86SHAKernel.compress(&states[0], blocks[0], count: 1)
                },
                unsafe kernel("x86-sha-pair", width: 2) { states, blocks in
                    unsafe X86SHAKernel.compressPair(&states[0], blocks[0], &states[1], blocks[1], count: 1)
                },
                unsafe kernel("x86-sha-authenticate", width: 2) { states, blocks in
                    unsafe X86SHAKernel.authenticate(&states[0], states[1], blocks[0], count: 1)
                },
            ]
        }
        if SHA256.Kernel.avx512.choice != nil {
            cases.append(
                unsafe kernel("avx512", width: 16) { states, blocks in
                    unsafe AVX512Kernel.compressLanes(states, blocks, count: 1)
                })
        }
        #elseif HardwareKernels && arch(arm64)
        if SHA256.Kernel.armSHA.choice != nil {
            cases += [
                unsafe kernel("arm-sha", width: 1) { states, blocks in
                    unsafe ARMSHAKernel.compress(&states[0], blocks[0], count: 1)
                },
                unsafe kernel("arm-sha-pair", width: 2) { states, blocks in
                    unsafe ARMSHAKernel.compressPair(&states[0], blocks[0], &states[1], blocks[1], count: 1)
                },
                unsafe kernel("arm-sha-authenticate", width: 2) { states, blocks in
                    unsafe ARMSHAKernel.authenticate(&states[0], states[1], blocks[0], count: 1)
                },
            ]
        }
        #endif
        return cases
    }

    private typealias States = UnsafeMutablePointer<SIMD8<UInt32>>
    private typealias Blocks = UnsafePointer<UnsafeRawPointer>

    /// Returns the case of a kernel.
    ///
    /// - Parameters:
    ///   - width: The number of hash values, each with one block.
    ///   - compress: Absorbs the blocks.
    private static func kernel(_ name: String, width: Int, _ compress: @escaping (States, Blocks) -> Void) -> Case {
        Case("kernel/\(name)") {
            unsafe ByteSubject(fixed: [UInt8](repeating: 0, count: width * (32 + 64))) { input in
                unsafe withUnsafeTemporaryAllocation(of: UnsafeRawPointer.self, capacity: width) { blocks in
                    for index in 0..<width {
                        unsafe blocks.initializeElement(
                            at: index, to: UnsafeRawPointer(input + width * 32 + index * 64))
                    }
                    unsafe compress(
                        input.assumingMemoryBound(to: SIMD8<UInt32>.self),
                        UnsafePointer(blocks.baseAddress.unsafelyUnwrapped))
                }
                return true
            }
        }
    }
}

#if !HardwareKernels
import HubCrypto
import Testing

@Suite struct TraitTests {
    @Test func `uses only the portable kernel without the trait`() {
        #expect(SHA256.activeKernel == .portable)
        #expect(SHA256.activeBatchKernel == .portable)
        for kernel in SHA256.Kernel.all where kernel != .portable {
            #expect(throws: KernelUnavailableError.self) { try KernelChoice(forcing: kernel) }
        }
    }
}
#endif

#if !HardwareKernels
import HubCrypto
import Testing

@Suite struct TraitTests {
    @Test func `the portable kernel serves where the trait is off, whatever the processor`() {
        #expect(SHA256.activeKernel == .portable)
        #expect(SHA256.activeBatchKernel == .portable)
        for kernel in SHA256.Kernel.all where kernel != .portable {
            #expect(throws: KernelUnavailable.self) { try KernelChoice(forcing: kernel) }
        }
    }
}
#endif

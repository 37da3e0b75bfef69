import HubCrypto

/// The kernels to measure: those that HubCrypto chooses, or a forced one.
enum Kernels {
    case chosen
    case forced(SHA256.Kernel, KernelChoice)

    /// The name of the kernel for single messages.
    var single: String {
        switch self {
        case .chosen: SHA256.activeKernel.rawValue
        // AVX-512 supports only batches; the portable kernel handles single messages.
        case .forced(.avx512, _): SHA256.Kernel.portable.rawValue
        case .forced(let kernel, _): kernel.rawValue
        }
    }

    /// The name of the kernel for batches.
    var batch: String {
        switch self {
        case .chosen: SHA256.activeBatchKernel.rawValue
        case .forced(let kernel, _): kernel.rawValue
        }
    }
}

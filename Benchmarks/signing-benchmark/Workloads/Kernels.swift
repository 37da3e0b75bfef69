import HubCrypto

/// The kernels that are measured: those that HubCrypto chooses, or one of the command line's.
enum Kernels {
    case chosen
    case forced(SHA256.Kernel, KernelChoice)

    /// The kernel for a message by itself.
    var single: String {
        switch self {
        case .chosen: SHA256.activeKernel.rawValue
        // It has no such form, and the portable one steps in.
        case .forced(.avx512, _): SHA256.Kernel.portable.rawValue
        case .forced(let kernel, _): kernel.rawValue
        }
    }

    /// The kernel for batches.
    var batch: String {
        switch self {
        case .chosen: SHA256.activeBatchKernel.rawValue
        case .forced(let kernel, _): kernel.rawValue
        }
    }
}

import HubBenchmarkSystem

/// The result of one case in one implementation, measured or read from a file.
struct Measurement {
    /// The case's name.
    let name: String
    let implementation: String
    /// The name of the kernel, if known.
    let kernel: String?
    /// The number of bytes hashed or signed per operation, if known.
    let byteCount: Int?
    /// The time of the best round, in nanoseconds per operation.
    let best: Double
    /// The median time of all rounds, in nanoseconds per operation, if known.
    let median: Double?
    /// The allocations per operation; `nil` if they cannot be counted.
    let allocations: Double?
    let origin: Origin

    /// Whether this package was measured, not another library.
    var isOfThisPackage: Bool { ["HubCrypto", "SharedAccessSignature"].contains(implementation) }

    /// Whether the median exceeds the best time by more than 25 %.
    var isNoisy: Bool { median.map { $0 > best * 1.25 } ?? false }

    var operationsPerSecond: Double { 1e9 / best }

    /// The throughput in megabytes per second; `nil` for operations without input.
    var megabytesPerSecond: Double? {
        guard let byteCount, byteCount > 0 else { return nil }
        return Double(byteCount) / best * 1000
    }
}

extension [Measurement] {
    /// The tokens per second on one core, in words; `nil` if the case `sas-token` is missing.
    var tokensPerSecond: String? {
        guard let rate = first(where: { $0.name == "sas-token" && $0.isOfThisPackage })?.operationsPerSecond else {
            return nil
        }
        let number =
            switch rate {
            case 999_500...: "\((rate / 1e6).formatted(decimals: 1)) million"
            case 1000...: "\((rate / 1000).formatted(decimals: 0)) thousand"
            default: rate.formatted(decimals: 0)
            }
        return "\(number) tokens a second on one core"
    }
}

import HubBenchmarkSystem
import HubCommandLine
import HubCrypto

/// The options of the command line.
struct Options {
    /// Whether to print JSON instead of a table.
    let asJSON: Bool
    /// Whether to measure OpenSSL too.
    let compares: Bool
    /// A string that the names of the cases to measure contain.
    let filter: String
    let kernels: Kernels
    /// The path of libcrypto; `nil` for the system's.
    let libcryptoPath: String?
    let rounds: Int
    /// The maximum number of threads; `nil` unless thread scaling is measured.
    let threadCount: Int?

    /// Parses the command line.
    init(_ arguments: consuming Arguments) throws(UsageError) {
        asJSON = arguments.flag("--json")
        compares = arguments.flag("--compare")
        let filter = try arguments.value(of: "--filter")
        kernels = try arguments.value(of: "--kernel").map(Self.kernels(named:)) ?? .chosen
        libcryptoPath = try arguments.value(of: "--libcrypto")
        rounds =
            try arguments.value(of: "--rounds").map { text throws(UsageError) in
                try Self.number(text, of: "--rounds", upTo: 10_000)
            } ?? 25
        threadCount = try arguments.value(of: "--threads").map { text throws(UsageError) in
            text == "all"
                ? Processors.count
                : try Self.number(text, of: "--threads", upTo: Processors.count, alternative: " or \"all\"")
        }
        try arguments.finish()

        if threadCount != nil, compares || filter != nil {
            throw UsageError("--threads cannot be combined with --filter or --compare")
        }
        if libcryptoPath != nil, !compares { throw UsageError("--libcrypto requires --compare") }
        self.filter = filter ?? ""
    }

    /// Returns whether to measure a case.
    func includes(_ name: String) -> Bool {
        filter.isEmpty || name.contains(filter)
    }

    private static func kernels(named name: String) throws(UsageError) -> Kernels {
        guard let kernel = SHA256.Kernel.all.first(where: { $0.rawValue == name }) else {
            let names = SHA256.Kernel.all.map(\.rawValue).joined(separator: ", ")
            throw UsageError("--kernel: expected one of \(names); got \"\(name)\"")
        }
        do {
            return .forced(kernel, try KernelChoice(forcing: kernel))
        } catch {
            throw UsageError("--kernel: \(name) is not available on this machine or in this build")
        }
    }

    private static func number(
        _ text: String, of option: String, upTo limit: Int, alternative: String = ""
    ) throws(UsageError) -> Int {
        guard let number = Int(text), number > 0, number <= limit else {
            throw UsageError("\(option): expected a number from 1 to \(limit)\(alternative); got \"\(text)\"")
        }
        return number
    }
}

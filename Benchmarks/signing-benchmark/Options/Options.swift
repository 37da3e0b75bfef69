import HubBenchmarkSystem
import HubCommandLine
import HubCrypto

/// The options of the command line.
struct Options {
    /// A format of the results on standard output.
    enum Format {
        case table, json, markdown
    }

    let format: Format
    /// Whether to measure OpenSSL too.
    let compares: Bool
    /// A string that the names of the cases to measure contain.
    let filter: String
    let kernels: Kernels
    /// The path of libcrypto; `nil` for the system's.
    let libcryptoPath: String?
    let rounds: Int
    /// The number of laps per round; `nil` for rounds of about the same time.
    let laps: Int?
    /// The maximum number of threads; `nil` unless thread scaling is measured.
    let threadCount: Int?
    let files: FileOptions

    /// Parses the command line.
    init(_ arguments: consuming Arguments) throws(UsageError) {
        let (asJSON, asMarkdown) = (arguments.flag(.json), arguments.flag(.markdown))
        format = asJSON ? .json : asMarkdown ? .markdown : .table
        compares = arguments.flag(.compare)
        let filter = try arguments.value(of: .filter)
        let kernels = try arguments.value(of: .kernel).map(Self.kernels(named:))
        libcryptoPath = try arguments.value(of: .libcrypto)
        let rounds = try arguments.number(of: .rounds, upTo: 10_000)
        laps = try arguments.number(of: .laps, upTo: 1_000_000)
        threadCount = try arguments.value(of: .threads).map { text throws(UsageError) in
            text == "all"
                ? Processors.count
                : try Arguments.number(text, of: .threads, upTo: Processors.count, alternative: " or \"all\"")
        }
        files = try FileOptions(&arguments)
        try arguments.finish()

        if threadCount != nil, compares || filter != nil || laps != nil {
            throw UsageError("--threads cannot be combined with --filter, --compare or --laps")
        }
        if threadCount != nil, asMarkdown || !files.isEmpty {
            throw UsageError("--threads cannot be combined with --markdown, --input, --peers, --baseline or --chart")
        }
        if libcryptoPath != nil, !compares { throw UsageError("--libcrypto requires --compare") }
        if asJSON, asMarkdown { throw UsageError("--json cannot be combined with --markdown") }
        if files.input != nil, asJSON || compares || kernels != nil || rounds != nil || laps != nil {
            throw UsageError("--input cannot be combined with --json, --compare, --kernel, --rounds or --laps")
        }
        if files.peers != nil, !asMarkdown, files.chart == nil {
            throw UsageError("--peers requires --chart or --markdown")
        }
        self.filter = filter ?? ""
        self.kernels = kernels ?? .chosen
        self.rounds = rounds ?? 25
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
}

extension Arguments {
    /// Removes an option and returns its value, a number from 1 to `limit`.
    mutating func number(of option: OptionName, upTo limit: Int) throws(UsageError) -> Int? {
        try value(of: option).map { text throws(UsageError) in try Self.number(text, of: option, upTo: limit) }
    }

    /// Parses the value of an option, a number from 1 to `limit`.
    static func number(
        _ text: String, of option: OptionName, upTo limit: Int, alternative: String = ""
    ) throws(UsageError) -> Int {
        guard let number = Int(text), number > 0, number <= limit else {
            throw UsageError("\(option): expected a number from 1 to \(limit)\(alternative); got \"\(text)\"")
        }
        return number
    }
}

import HubBenchmarkSystem
import HubCommandLine
import HubCrypto

/// What the command line asks for.
struct Options {
    let asJSON: Bool
    let compares: Bool
    /// The text that the names of the cases to measure contain.
    let filter: String
    let kernels: Kernels
    /// Where libcrypto is, if not where the system has it.
    let libcryptoPath: String?
    let rounds: Int
    /// How many threads sign at once, if that is what is measured.
    let threadCount: Int?

    /// Reads the command line.
    init(_ arguments: consuming Arguments) throws(UsageError) {
        asJSON = arguments.flag("--json")
        compares = arguments.flag("--compare")
        let filter = try arguments.value(of: "--filter")
        kernels = try arguments.value(of: "--kernel").map(Self.kernels(named:)) ?? .chosen
        libcryptoPath = try arguments.value(of: "--libcrypto")
        rounds =
            try arguments.value(of: "--rounds").map { text throws(UsageError) in
                try Self.number(text, upTo: 10_000, what: "number of rounds")
            } ?? 25
        threadCount = try arguments.value(of: "--threads").map { text throws(UsageError) in
            text == "all"
                ? Processors.count : try Self.number(text, upTo: Processors.count, what: "number of threads")
        }
        try arguments.finish()

        if threadCount != nil, compares || filter != nil {
            throw UsageError("--threads measures one case: it goes with neither --filter nor --compare")
        }
        if libcryptoPath != nil, !compares { throw UsageError("--libcrypto goes with --compare") }
        self.filter = filter ?? ""
    }

    /// Whether a case is to be measured.
    func includes(_ name: String) -> Bool {
        filter.isEmpty || name.contains(filter)
    }

    private static func kernels(named name: String) throws(UsageError) -> Kernels {
        guard let kernel = SHA256.Kernel.all.first(where: { $0.rawValue == name }) else {
            let names = SHA256.Kernel.all.map(\.rawValue).joined(separator: ", ")
            throw UsageError("the kernel \(name) is unknown; there are \(names)")
        }
        do {
            return .forced(kernel, try KernelChoice(forcing: kernel))
        } catch {
            throw UsageError("this machine, or this build, does not have the kernel \(name)")
        }
    }

    private static func number(_ text: String, upTo limit: Int, what: String) throws(UsageError) -> Int {
        guard let number = Int(text), number > 0, number <= limit else {
            throw UsageError("\(text) is no \(what): it is from 1 to \(limit)")
        }
        return number
    }
}

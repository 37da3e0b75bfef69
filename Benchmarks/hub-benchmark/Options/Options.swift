import HubCommandLine

/// What the command line asks for.
struct Options {
    /// How many calls are measured.
    let count: Int
    /// How many of them are under way at once.
    let inFlight: Int
    /// The text that the names of the cases to run contain.
    let filter: String
    let asJSON: Bool
    /// Whether to run the HTTP cases over HTTPS.
    let overTLS: Bool

    /// Reads the command line.
    init(_ arguments: consuming Arguments) throws(UsageError) {
        // Options with values first: they do not take a flag for their value, but might take what stands behind it.
        filter = try arguments.value(of: "--filter") ?? ""
        count = try Self.number(of: "--count", &arguments, upTo: 10_000_000) ?? 20_000
        inFlight = try Self.number(of: "--in-flight", &arguments, upTo: 1024) ?? 64
        asJSON = arguments.flag("--json")
        overTLS = arguments.flag("--tls")
        try arguments.finish()
    }

    private static func number(
        of option: String, _ arguments: inout Arguments, upTo limit: Int
    ) throws(UsageError) -> Int? {
        guard let text = try arguments.value(of: option) else { return nil }
        guard let number = Int(text), number > 0, number <= limit else {
            throw UsageError("\(option) wants a number from 1 to \(limit)")
        }
        return number
    }
}

import HubCommandLine

/// The options of the command line.
struct Options {
    /// The number of measured calls.
    let count: Int
    /// The number of calls in flight.
    let inFlight: Int
    /// A string that the names of the cases to run contain.
    let filter: String
    /// Whether to print JSON instead of a table.
    let asJSON: Bool
    /// Whether to run the HTTP cases over HTTPS.
    let overTLS: Bool

    /// Parses the command line.
    init(_ arguments: consuming Arguments) throws(UsageError) {
        // Options with values first: if a flag were removed first, such an option could take the next argument as its
        // value.
        filter = try arguments.value(of: .filter) ?? ""
        count = try Self.number(of: .count, &arguments, upTo: 10_000_000) ?? 20_000
        inFlight = try Self.number(of: .inFlight, &arguments, upTo: 1024) ?? 64
        asJSON = arguments.flag(.json)
        overTLS = arguments.flag(.tls)
        try arguments.finish()
    }

    private static func number(
        of option: OptionName, _ arguments: inout Arguments, upTo limit: Int
    ) throws(UsageError) -> Int? {
        guard let text = try arguments.value(of: option) else { return nil }
        guard let number = Int(text), number > 0, number <= limit else {
            throw UsageError("\(option): expected a number from 1 to \(limit); got \"\(text)\"")
        }
        return number
    }
}

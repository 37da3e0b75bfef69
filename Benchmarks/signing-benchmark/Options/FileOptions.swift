import HubCommandLine

/// The options that name files with results, or a file to write.
struct FileOptions {
    /// The results to report instead of measuring.
    let input: ResultFile?
    /// The results of other libraries.
    let peers: ResultFile?
    /// The results of an earlier run.
    let baseline: ResultFile?
    /// The percentage by which a case may be slower than the baseline.
    let limit: Int
    /// The path of the chart to write.
    let chart: String?

    /// Whether no file is given.
    var isEmpty: Bool { input == nil && peers == nil && baseline == nil && chart == nil }

    /// Removes the options from the command line.
    init(_ arguments: inout Arguments) throws(UsageError) {
        input = try Self.file(.input, &arguments)
        peers = try Self.file(.peers, &arguments)
        baseline = try Self.file(.baseline, &arguments)
        let limit = try arguments.number(of: .failAbove, upTo: 1000)
        chart = try arguments.value(of: .chart)

        if limit != nil, baseline == nil { throw UsageError("--fail-above requires --baseline") }
        if [input, peers, baseline].count(where: { $0?.path == "-" }) > 1 {
            throw UsageError("only one of --input, --peers and --baseline can be standard input")
        }
        self.limit = limit ?? 10
    }

    private static func file(_ option: OptionName, _ arguments: inout Arguments) throws(UsageError) -> ResultFile? {
        try arguments.value(of: option).map { ResultFile(option: option, path: $0) }
    }
}

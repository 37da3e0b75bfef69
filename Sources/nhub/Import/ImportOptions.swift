import HubCommandLine

/// What the command line of `nhub import` asks for.
struct ImportOptions: Sendable {
    let input: ImportInput
    /// How many calls are under way at once, at the most.
    let concurrency: Int
    let failuresPath: String
    /// Where the journal is, unless standard input is imported.
    let journalPath: String
    let asJSON: Bool
    let caFile: String?

    /// Reads the command line, and looks at the input.
    init(_ arguments: consuming Arguments) throws {
        // Options with values first: they do not take a flag for their value, but might take what stands behind it.
        concurrency =
            try arguments.value(of: "--concurrency").map { text throws(UsageError) in
                guard let number = Int(text), (1...256).contains(number), !text.hasPrefix("+") else {
                    throw UsageError("--concurrency wants a number from 1 to 256")
                }
                return number
            } ?? 16
        caFile = try arguments.caFile()
        let failures = try arguments.value(of: "--failures")
        let journal = try arguments.value(of: "--journal")
        asJSON = arguments.flag("--json")
        let operands = try arguments.operands()
        guard let path = operands.first, !path.isEmpty else {
            throw UsageError("the file to import is missing; see nhub import --help")
        }
        if operands.count > 1 { throw UsageError("one file is imported at a time") }
        guard path != "-" || journal == nil else {
            throw UsageError("standard input cannot be read again, and has no journal")
        }
        failuresPath = failures ?? (path == "-" ? "stdin.failures.jsonl" : path + ".failures.jsonl")
        journalPath = journal ?? path + ".journal"
        let paths = [path, failuresPath, journalPath]
        guard Set(paths.map { Array($0.utf8) }).count == paths.count, failuresPath != "-", journal != "-" else {
            throw UsageError("the input, --failures and --journal are three files")
        }
        input = try ImportInput(path: path)
    }
}

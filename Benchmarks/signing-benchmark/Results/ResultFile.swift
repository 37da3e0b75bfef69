import HubCommandLine

/// A file with results: the output of `--json`, possibly of several runs.
struct ResultFile {
    /// The option that names the file.
    let option: OptionName
    /// The path, or `-` for standard input.
    let path: String

    /// The maximum number of bytes to read, far more than a run writes.
    private static let limit = 16 << 20

    /// Reads the results. Of several results of a case in one implementation, only the fastest is returned.
    ///
    /// - Throws: ``UsageError`` if the file cannot be read, contains an invalid line or contains no results.
    func read() throws(UsageError) -> [Measurement] {
        var results: [Measurement] = []
        let text = String(decoding: try bytes(), as: UTF8.self)
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated()
        where line.contains(where: { !$0.isWhitespace }) {
            guard let object = FlatJSONObject(line), let result = Measurement(object) else {
                throw UsageError(
                    "\(option): line \(index + 1): expected a JSON object with the strings \"case\" and "
                        + "\"implementation\" and the positive number \"ns\"")
            }
            guard object.number("threads") == nil else {
                throw UsageError("\(option): line \(index + 1): results of --threads are not supported")
            }
            if let index = results.firstIndex(where: {
                $0.name == result.name && $0.implementation == result.implementation
            }) {
                if result.best < results[index].best { results[index] = result }
            } else {
                results.append(result)
            }
        }
        guard !results.isEmpty else { throw UsageError("\(option): \(name) contains no results") }
        return results
    }

    private func bytes() throws(UsageError) -> [UInt8] {
        do throws(InputFile.ReadError) {
            if path == "-" { return try InputFile.standardInput.rest(upTo: Self.limit) }
            return try InputFile(path: Array(path.utf8)).rest(upTo: Self.limit)
        } catch {
            throw UsageError("\(option): cannot read \(name): \(error)")
        }
    }

    private var name: String { path == "-" ? "standard input" : "the file" }
}

extension Measurement {
    /// Creates a result from a line; `nil` if a required member is missing or invalid.
    fileprivate init?(_ object: FlatJSONObject) {
        guard let name = object.string("case"), let implementation = object.string("implementation"),
            let best = object.number("ns"), best > 0
        else { return nil }
        self.init(
            name: name, implementation: implementation, kernel: object.string("kernel"),
            byteCount: object.number("bytes").flatMap { Int(exactly: $0) }, best: best,
            median: object.number("median"), allocations: object.number("allocations"),
            origin: Origin(machine: object.string("machine"), commit: object.string("commit")))
    }
}

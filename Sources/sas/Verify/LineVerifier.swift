import HubCommandLine
import HubText
import SharedAccessSignature

/// Verifies standard input line by line, and writes a verdict a line.
///
/// What has arrived is verified in one go, many signatures side by side, and its verdicts are written before more is waited
/// for. Memory stays bounded: of a line that is too long for a token, only as much is kept as shows that.
struct LineVerifier {
    let verifier: SASVerifier
    let resource: SASResource
    /// The clock's time for each batch, if `nil`.
    let now: Int64?

    /// How much is read at once.
    private static let chunkSize = 1 << 18
    /// A byte more than the longest token has, behind the header's name.
    private static let longestLine = 8193 + TokenInput.longestHeaderName

    /// - Returns: success if there are lines, and all are valid.
    func run() throws -> ExitStatus {
        var lines = Lines(longest: Self.longestLine)
        var isAllValid = true
        var isEmpty = true
        var chunk: [UInt8] = []
        while true {
            chunk.removeAll(keepingCapacity: true)
            do {
                if try InputFile.standardInput.read(upTo: Self.chunkSize, into: &chunk) == 0 { break }
            } catch {
                throw CannotRead(what: "standard input", reason: error)
            }
            isEmpty = false
            lines.append(chunk)
            isAllValid = try verify(lines.takeWhole()) && isAllValid
        }
        isAllValid = try verify(lines.takeLast()) && isAllValid
        return isAllValid && !isEmpty ? .success : .failure
    }

    /// - Returns: whether all were valid.
    private func verify(_ lines: [String]) throws(Console.Unwritable) -> Bool {
        let parsed = lines.map { line in
            Result { () throws(SASToken.ParseError) in
                try SASToken(TokenInput.withoutHeaderName(Array(line.utf8)).lossyText)
            }
        }
        let tokens = parsed.compactMap { try? $0.get() }
        var results = verifier.verify(batch: tokens, for: resource, now: now ?? Clock.now()).makeIterator()
        var isAllValid = true
        var output: [UInt8] = []
        for line in parsed {
            let verdict: Verdict
            switch line {
            case .failure(let error):
                verdict = .malformed(error)
            case .success:
                guard let result = results.next() else { return false }
                verdict = Verdict(result)
            }
            isAllValid = isAllValid && verdict.isValid
            output += verdict.json.bytes
            output.append(UInt8(ascii: "\n"))
        }
        try Console.output(bytes: output)
        return isAllValid
    }
}

/// Takes lines out of bytes that arrive piece by piece. A line ends with LF or CRLF.
struct Lines {
    /// How much of a line is kept.
    private let longest: Int
    private var whole: [String] = []
    private var rest: [UInt8] = []

    init(longest: Int) {
        self.longest = longest
    }

    mutating func append(_ chunk: [UInt8]) {
        var start = 0
        while let end = chunk[start...].firstIndex(of: UInt8(ascii: "\n")) {
            keep(chunk[start..<end])
            whole.append(line())
            start = end + 1
        }
        keep(chunk[start...])
    }

    /// The lines that have come to their end.
    mutating func takeWhole() -> [String] {
        defer { whole.removeAll(keepingCapacity: true) }
        return whole
    }

    /// The line at the end that nothing ends, if there is one.
    mutating func takeLast() -> [String] {
        rest.isEmpty ? [] : [line()]
    }

    private mutating func keep(_ part: ArraySlice<UInt8>) {
        // One more, for the CR at the end.
        rest += part.prefix(longest + 1 - rest.count)
    }

    private mutating func line() -> String {
        defer { rest.removeAll(keepingCapacity: true) }
        if rest.last == UInt8(ascii: "\r") { rest.removeLast() }
        return rest.lossyText
    }
}

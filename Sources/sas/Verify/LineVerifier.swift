import HubCommandLine
import HubText
import SharedAccessSignature

/// Verifies each line of standard input and writes one verdict per line.
///
/// The lines that have arrived are verified as one batch, and their verdicts are written before the next read. Memory is
/// bounded: a line is cut one byte after the longest token.
struct LineVerifier {
    let verifier: SASVerifier
    let resource: SASResource
    /// The current time; `nil` reads the clock for each batch.
    let now: Int64?

    /// The largest read, in bytes.
    private static let chunkSize = 1 << 18
    /// The longest header name and token, and one byte.
    private static let longestLine = 8193 + TokenInput.longestHeaderName

    /// - Returns: Success if there is a line and all lines are valid.
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
                throw InputError(source: "standard input", reason: error)
            }
            isEmpty = false
            lines.append(chunk)
            isAllValid = try verify(lines.takeComplete()) && isAllValid
        }
        isAllValid = try verify(lines.takeLast()) && isAllValid
        return isAllValid && !isEmpty ? .success : .failure
    }

    /// - Returns: Whether all lines are valid.
    private func verify(_ lines: [String]) throws(Console.Unwritable) -> Bool {
        let parsed = lines.map { line in
            Result { () throws(SASTokenError) in
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

/// Splits bytes that arrive in chunks into lines. A line ends with LF or CRLF.
private struct Lines {
    /// The longest line to keep, in bytes.
    private let longest: Int
    private var complete: [String] = []
    private var rest: [UInt8] = []

    init(longest: Int) {
        self.longest = longest
    }

    mutating func append(_ chunk: [UInt8]) {
        var start = 0
        while let end = chunk[start...].firstIndex(of: UInt8(ascii: "\n")) {
            keep(chunk[start..<end])
            complete.append(line())
            start = end + 1
        }
        keep(chunk[start...])
    }

    /// Takes the lines that have ended.
    mutating func takeComplete() -> [String] {
        defer { complete.removeAll(keepingCapacity: true) }
        return complete
    }

    /// Takes the last line if nothing ends it.
    mutating func takeLast() -> [String] {
        rest.isEmpty ? [] : [line()]
    }

    private mutating func keep(_ part: ArraySlice<UInt8>) {
        // One more byte for a CR.
        rest += part.prefix(longest + 1 - rest.count)
    }

    private mutating func line() -> String {
        defer { rest.removeAll(keepingCapacity: true) }
        if rest.last == UInt8(ascii: "\r") { rest.removeLast() }
        return rest.lossyText
    }
}

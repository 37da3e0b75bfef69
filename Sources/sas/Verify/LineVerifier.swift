import HubCommandLine

/// A verifier that reads one token per line of standard input and writes one verdict per line.
///
/// It verifies all complete lines as a batch and writes their verdicts before the next read. Memory is bounded, because a line
/// is cut at ``TokenInput/limit``.
struct LineVerifier {
    let checks: TokenChecks
    /// The current time in seconds since 1970 UTC; `nil` to read the clock for each batch.
    let now: Int64?

    /// The number of bytes to read at once.
    private static let chunkSize = 1 << 18

    /// Verifies all lines.
    ///
    /// - Returns: Success if the input is not empty and all lines are valid.
    func run() throws -> ExitStatus {
        var lines = LineSplitter()
        var isAllValid = true
        var isEmpty = true
        var chunk: [UInt8] = []
        let input = InputFile.standardInput
        while true {
            chunk.removeAll(keepingCapacity: true)
            do {
                if try input.read(upTo: Self.chunkSize, into: &chunk) == 0 { break }
            } catch {
                throw InputError(source: "standard input", reason: error)
            }
            isEmpty = false
            lines.append(chunk)
            isAllValid = try verify(lines.takeComplete()) && isAllValid
        }
        isAllValid = try verify(lines.takeLast()) && isAllValid
        if isEmpty { Console.error("sas: standard input is empty: pass one token per line") }
        return isAllValid && !isEmpty ? .success : .failure
    }

    /// Verifies a batch of lines and writes the verdicts.
    ///
    /// - Returns: Whether all lines are valid.
    private func verify(_ lines: [TokenInput]) throws(Console.WriteError) -> Bool {
        let verdicts = checks.verdicts(on: lines, now: now ?? Clock.now())
        var output: [UInt8] = []
        for verdict in verdicts {
            output += verdict.json.bytes
            output.append(UInt8(ascii: "\n"))
        }
        try Console.output(bytes: output)
        return verdicts.allSatisfy(\.isValid)
    }
}

/// A splitter of chunks into lines. A line ends with LF or CRLF.
private struct LineSplitter {
    private var complete: [TokenInput] = []
    private var rest: [UInt8] = []

    mutating func append(_ chunk: [UInt8]) {
        var start = 0
        while let end = chunk[start...].firstIndex(of: UInt8(ascii: "\n")) {
            keep(chunk[start..<end])
            complete.append(line())
            start = end + 1
        }
        keep(chunk[start...])
    }

    /// Removes and returns the complete lines.
    mutating func takeComplete() -> [TokenInput] {
        defer { complete.removeAll(keepingCapacity: true) }
        return complete
    }

    /// Removes and returns the last line if it has no line ending.
    mutating func takeLast() -> [TokenInput] {
        rest.isEmpty ? [] : [line()]
    }

    private mutating func keep(_ part: ArraySlice<UInt8>) {
        // One more byte shows that the line is too long, and one is for a CR.
        rest += part.prefix(TokenInput.limit + 2 - rest.count)
    }

    private mutating func line() -> TokenInput {
        defer { rest.removeAll(keepingCapacity: true) }
        if rest.last == UInt8(ascii: "\r") { rest.removeLast() }
        return TokenInput(rest)
    }
}

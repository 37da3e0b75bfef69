import HubCommandLine
import HubText

/// The input of commands that read one token.
enum TokenInput {
    /// The maximum number of bytes to read, far more than the length of any token.
    private static let limit = 1 << 20

    /// Returns the token from the operand, or from standard input if the operand is omitted or `-`.
    ///
    /// A trailing newline is ignored.
    static func read(_ arguments: inout Arguments) throws -> [UInt8] {
        let operands = try arguments.operands()
        guard operands.count <= 1 else {
            throw UsageError("more than one token given: quote the token, or pass many with sas verify --lines")
        }
        if let token = operands.first, token != "-" { return withoutLineEnd(Array(token.utf8)) }
        do {
            return withoutLineEnd(try InputFile.standardInput.rest(upTo: limit))
        } catch {
            throw InputError(source: "standard input", reason: error)
        }
    }

    private static func withoutLineEnd(_ text: [UInt8]) -> [UInt8] {
        guard text.last == UInt8(ascii: "\n") else { return text }
        let line = text.dropLast()
        return Array(line.last == UInt8(ascii: "\r") ? line.dropLast() : line)
    }

    /// The maximum length in bytes of a header name with its colon and whitespace.
    static let maximumHeaderNameCount = 64

    /// Returns a token without a preceding `Authorization:`.
    static func withoutHeaderName(_ text: [UInt8]) -> ArraySlice<UInt8> {
        let name = "Authorization:"
        guard text.starts(ignoringCase: name) else { return text[...] }
        return text.dropFirst(name.utf8.count).drop(while: \.isASCIIWhitespace)
    }
}

/// An error for input that cannot be read.
struct InputError: Error, CustomStringConvertible {
    /// The name of the input. It must not contain a secret.
    let source: String
    let reason: InputFile.ReadError
    var description: String { "cannot read \(source): \(reason)" }
}

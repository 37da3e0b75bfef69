import HubCommandLine
import HubText

/// Reads a single token from the command line or from standard input.
enum TokenInput {
    /// The largest input to read, in bytes: far longer than any token.
    private static let limit = 1 << 20

    /// Takes the token's text from the operand; from standard input without one or for `-`. A trailing newline is ignored.
    static func take(from arguments: inout Arguments) throws -> [UInt8] {
        let operands = try arguments.operands()
        guard operands.count <= 1 else {
            throw UsageError("there is more than one token; put it in quotes, or use --lines where that is known")
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

    /// The longest header name with whitespace around its colon, in bytes.
    static let longestHeaderName = 64

    /// A token without the header name that people copy with it.
    static func withoutHeaderName(_ text: [UInt8]) -> ArraySlice<UInt8> {
        let name = "Authorization:"
        guard text.starts(ignoringCase: name) else { return text[...] }
        return text.dropFirst(name.utf8.count).drop(while: \.isASCIIWhitespace)
    }
}

/// An input that cannot be read.
struct InputError: Error, CustomStringConvertible {
    /// A description of the input; never a secret.
    let source: String
    let reason: InputFile.Unreadable
    var description: String { "cannot read \(source): \(reason)" }
}

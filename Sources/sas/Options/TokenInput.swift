import HubCommandLine
import HubText

/// Where a single token comes from: the command line, or standard input.
enum TokenInput {
    /// As much as is read. What is longer is no token, and enough is kept to see that.
    private static let limit = 1 << 20

    /// Takes the token's text from what is left of the command line; from standard input for `-` or nothing. One line's
    /// end behind it is no part of it.
    static func take(from arguments: inout Arguments) throws -> [UInt8] {
        let operands = try arguments.operands()
        guard operands.count <= 1 else {
            throw UsageError("there is more than one token; put it in quotes, or use --lines where that is known")
        }
        if let token = operands.first, token != "-" { return withoutLineEnd(Array(token.utf8)) }
        do {
            return withoutLineEnd(try InputFile.standardInput.rest(upTo: limit))
        } catch {
            throw CannotRead(what: "standard input", reason: error)
        }
    }

    private static func withoutLineEnd(_ text: [UInt8]) -> [UInt8] {
        guard text.last == UInt8(ascii: "\n") else { return text }
        let line = text.dropLast()
        return Array(line.last == UInt8(ascii: "\r") ? line.dropLast() : line)
    }

    /// How long the header's name, with white space around its colon, is taken to be at the most.
    static let longestHeaderName = 64

    /// A token without the header's name that people copy with it.
    static func withoutHeaderName(_ text: [UInt8]) -> ArraySlice<UInt8> {
        let name = "Authorization:"
        guard text.starts(ignoringCase: name) else { return text[...] }
        return text.dropFirst(name.utf8.count).drop(while: \.isASCIIWhitespace)
    }
}

import HubCommandLine

/// Where a single token comes from: the command line, or standard input.
enum TokenInput {
    /// As much as is read. What is longer is no token, and enough is kept to see that.
    private static let limit = 1 << 20

    /// Takes the token's text from what is left of the command line; from standard input for `-` or nothing, without the
    /// white space around it.
    static func take(from arguments: inout Arguments) throws -> [UInt8] {
        let operands = try arguments.operands()
        guard operands.count <= 1 else {
            throw UsageError("there is more than one token; put it in quotes, or use --lines where that is known")
        }
        if let token = operands.first, token != "-" { return Array(token.utf8) }
        do {
            return Array(try InputFile.standardInput.rest(upTo: limit)[...].trimmed)
        } catch {
            throw CannotRead(what: "standard input", reason: error)
        }
    }

    /// A token without the header's name that people copy with it.
    static func withoutHeaderName(_ text: [UInt8]) -> ArraySlice<UInt8> {
        let name = "Authorization:"
        guard text.starts(ignoringCase: name) else { return text[...] }
        return text.dropFirst(name.utf8.count).drop(while: \.isWhiteSpace)
    }
}

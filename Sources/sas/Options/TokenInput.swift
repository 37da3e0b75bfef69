import HubCommandLine
import HubText
import SharedAccessSignature

/// The input that should be a token: an operand, standard input or one of its lines.
struct TokenInput {
    /// The maximum length in bytes, far more than the length of any token. The rest of a longer input is ignored.
    static let limit = 1 << 20

    /// The bytes after a preceding `Authorization:`.
    let text: ArraySlice<UInt8>
    /// Whether the input is longer than the limit.
    let isCut: Bool
    /// Whether the input is an operand, which may be the name of a file by mistake.
    private var isOperand = false

    /// Creates an input from its bytes. Of an input that is longer than the limit, pass at least one more byte.
    init(_ bytes: [UInt8]) {
        isCut = bytes.count > Self.limit
        text = Self.withoutHeaderName(bytes)
    }

    /// Returns the input of the operand, or of standard input if the operand is omitted or `-`.
    ///
    /// A trailing newline is ignored.
    static func read(_ arguments: inout Arguments) throws -> TokenInput {
        let operands = try arguments.operands()
        guard operands.count <= 1 else {
            throw UsageError("more than one token given: quote the token, or pass many with sas verify --lines")
        }
        if let token = operands.first, token != "-" {
            var input = TokenInput(Array(token.utf8).withoutLineEnd)
            input.isOperand = true
            return input
        }
        do {
            return TokenInput(try InputFile.standardInput.rest(upTo: limit + "\r\n".utf8.count + 1).withoutLineEnd)
        } catch {
            throw InputError(source: "standard input", reason: error)
        }
    }

    /// Parses the token. An input that is cut is too long, whatever it contains.
    func token() throws(SASTokenError) -> SASToken {
        if isCut { throw SASTokenError(.tooLong, offset: SASToken.maximumByteCount) }
        return try SASToken(text.lossyText)
    }

    /// The reason for which the input is not a token, if it is a common mistake.
    var hint: String? {
        let scheme = "SharedAccessSignature "
        if text.trimmed.isEmpty { return "the input is empty" }
        if isOperand, (try? Directory.kind(of: Array(text), followingLinks: true)) != nil {
            return "this is the name of a file; pass its content with < FILE"
        }
        guard let first = text.firstIndex(ignoringCase: scheme) else { return nil }
        return text[(first + 1)...].firstIndex(ignoringCase: scheme) == nil
            ? nil : "there is more than one token; pass one for each line with --lines"
    }

    private static func withoutHeaderName(_ text: [UInt8]) -> ArraySlice<UInt8> {
        let name = "Authorization:"
        guard text.starts(ignoringCase: name) else { return text[...] }
        return text.dropFirst(name.utf8.count).drop(while: \.isASCIIWhitespace)
    }
}

extension [UInt8] {
    /// The bytes without one LF or CRLF at the end.
    var withoutLineEnd: [UInt8] {
        guard last == UInt8(ascii: "\n") else { return self }
        let line = dropLast()
        return Array(line.last == UInt8(ascii: "\r") ? line.dropLast() : line)
    }
}

/// An error for input that cannot be read.
struct InputError: Error, CustomStringConvertible {
    /// The name of the input. It must not contain a secret.
    let source: String
    let reason: InputFile.ReadError
    var description: String { "cannot read \(source): \(reason)" }
}

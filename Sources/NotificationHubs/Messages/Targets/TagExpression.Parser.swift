extension TagExpression {
    /// Why a text is no tag expression.
    public struct ParseError: Error, Hashable, Sendable, CustomStringConvertible {
        /// What is wrong. More reasons may come: give every `switch` a `default`.
        public enum Reason: Hashable, Sendable {
            /// A byte that cannot stand here.
            case unexpected(UInt8)
            /// The text ends where a tag or a closing parenthesis has to follow.
            case unexpectedEnd
            /// More parentheses and `!` within each other than ``TagExpression/maximumDepth``.
            case tooDeep
            /// More tags than the service takes.
            case tooManyTags
            /// Something that is no tag, nor the id of an installation or a user.
            case invalidTag(NotificationHub.InvalidName)
        }

        /// What is wrong.
        public let reason: Reason
        /// Where, in bytes from the text's start.
        public let offset: Int

        /// What is wrong and where, in one line, without the text itself.
        public var description: String {
            let what =
                switch reason {
                case .unexpected: "something that cannot stand there"
                case .unexpectedEnd: "the expression ends too early"
                case .tooDeep: "parentheses and ! nested deeper than \(TagExpression.maximumDepth)"
                case .tooManyTags:
                    "more than \(TagExpression.maximumTagCountOfAlternatives) tags, or than "
                        + "\(TagExpression.maximumTagCount) where anything but || joins them"
                case .invalidTag(let error): error.description
                }
            return "\(what), at byte \(offset)"
        }
    }

    /// Parses a text: tags, `$InstallationId:{…}` and `$UserId:{…}`, joined by `!`, `&&`, `||` and parentheses.
    ///
    /// Spaces and tabs may stand between them. Nothing can be quoted or escaped: the service has no way to.
    ///
    /// - Throws: ``ParseError``, also for more tags than the service takes.
    public init(validating text: some StringProtocol) throws(ParseError) {
        var parser = Parser(bytes: Array(text.utf8))
        self = try parser.wholeExpression()
    }
}

/// Reads an expression by recursive descent, one byte once.
private struct Parser {
    let bytes: [UInt8]
    private var position = 0
    /// Where each tag starts.
    private var tagOffsets: [Int] = []

    init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    mutating func wholeExpression() throws(TagExpression.ParseError) -> TagExpression {
        let expression = try alternatives(depth: 0)
        guard position == bytes.count else { throw unexpected() }
        if (try? expression.validate()) == nil {
            throw error(.tooManyTags, at: tagOffsets[TagExpression.maximumTagCount])
        }
        return expression
    }

    private mutating func alternatives(depth: Int) throws(TagExpression.ParseError) -> TagExpression {
        var expression = try conjunction(depth: depth)
        while try skipOperator("|") { expression = expression || (try conjunction(depth: depth)) }
        return expression
    }

    private mutating func conjunction(depth: Int) throws(TagExpression.ParseError) -> TagExpression {
        var expression = try operand(depth: depth)
        while try skipOperator("&") { expression = expression && (try operand(depth: depth)) }
        return expression
    }

    private mutating func operand(depth: Int) throws(TagExpression.ParseError) -> TagExpression {
        skipSpaces()
        guard depth <= TagExpression.maximumDepth else { throw error(.tooDeep, at: position) }
        let expression: TagExpression
        if skip("!") {
            return !(try operand(depth: depth + 1))
        } else if skip("(") {
            expression = try alternatives(depth: depth + 1)
            guard skip(")") else { throw unexpected() }
        } else {
            expression = try tag()
        }
        skipSpaces()
        return expression
    }

    private mutating func tag() throws(TagExpression.ParseError) -> TagExpression {
        let start = position
        tagOffsets.append(start)
        guard tagOffsets.count <= TagExpression.maximumTagCountOfAlternatives else {
            throw error(.tooManyTags, at: start)
        }
        do {
            if bytes[start...].first == UInt8(ascii: "$") {
                return try bracedID(from: start)
            }
            while position < bytes.count, bytes[position].isTagByte { position += 1 }
            guard position > start else { throw unexpected() }
            return TagExpression(try NotificationHub.Tag(validating: string(start..<position)))
        } catch let error as NotificationHub.InvalidName {
            throw self.error(.invalidTag(error), at: start)
        } catch let error as TagExpression.ParseError {
            throw error
        } catch {
            throw unexpected()
        }
    }

    private mutating func bracedID(from start: Int) throws -> TagExpression {
        for name in ["$InstallationId:{", "$UserId:{"] where bytes[start...].starts(with: name.utf8) {
            position = start + name.utf8.count
            let id = position
            while position < bytes.count, bytes[position].isIDByte { position += 1 }
            let text = string(id..<position)
            guard skip("}") else { throw unexpected() }
            return name == "$UserId:{"
                ? .user(try Installation.UserID(validating: text))
                : .installation(try Installation.ID(validating: text))
        }
        throw unexpected()
    }

    // MARK: Bytes

    private mutating func skip(_ byte: Unicode.Scalar) -> Bool {
        guard position < bytes.count, bytes[position] == UInt8(ascii: byte) else { return false }
        position += 1
        return true
    }

    /// Skips a doubled byte, of which one alone is an error.
    private mutating func skipOperator(_ byte: Unicode.Scalar) throws(TagExpression.ParseError) -> Bool {
        guard skip(byte) else { return false }
        guard skip(byte) else { throw unexpected() }
        return true
    }

    private mutating func skipSpaces() {
        while position < bytes.count, bytes[position] == 0x20 || bytes[position] == 0x09 { position += 1 }
    }

    private func string(_ range: Range<Int>) -> String {
        String(decoding: bytes[range], as: UTF8.self)
    }

    private func error(_ reason: TagExpression.ParseError.Reason, at offset: Int) -> TagExpression.ParseError {
        TagExpression.ParseError(reason: reason, offset: offset)
    }

    private func unexpected() -> TagExpression.ParseError {
        error(position < bytes.count ? .unexpected(bytes[position]) : .unexpectedEnd, at: position)
    }
}

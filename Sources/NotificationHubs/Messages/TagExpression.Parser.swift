extension TagExpression {
    /// Parses an expression of tags, `$InstallationId:{…}` and `$UserId:{…}`, combined with `!`, `&&`, `||` and parentheses.
    ///
    /// Spaces and tabs between these are ignored. The syntax has no quotes or escapes.
    ///
    /// - Throws: ``HubValidationError`` with the offset of the invalid byte or tag.
    public init(validating text: some StringProtocol) throws(HubValidationError) {
        var parser = Parser(bytes: Array(text.utf8))
        self = try parser.wholeExpression()
    }
}

/// A recursive descent parser that reads each byte once.
private struct Parser {
    let bytes: [UInt8]
    private var position = 0
    /// The offset of each tag.
    private var tagOffsets: [Int] = []

    init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    mutating func wholeExpression() throws(HubValidationError) -> TagExpression {
        let expression = try alternatives(depth: 0)
        guard position == bytes.count else { throw unexpected() }
        if (try? expression.validate()) == nil {
            throw TagExpression.tooManyTags(
                tagOffsets.count, offset: tagOffsets[TagExpression.maximumTagCount])
        }
        return expression
    }

    private mutating func alternatives(depth: Int) throws(HubValidationError) -> TagExpression {
        var expression = try conjunction(depth: depth)
        while try skipOperator("|") { expression = expression || (try conjunction(depth: depth)) }
        return expression
    }

    private mutating func conjunction(depth: Int) throws(HubValidationError) -> TagExpression {
        var expression = try operand(depth: depth)
        while try skipOperator("&") { expression = expression && (try operand(depth: depth)) }
        return expression
    }

    private mutating func operand(depth: Int) throws(HubValidationError) -> TagExpression {
        skipSpaces()
        guard depth <= TagExpression.maximumDepth else {
            throw HubValidationError(
                .invalidTagExpression,
                "parentheses and ! nested deeper than \(TagExpression.maximumDepth) at byte \(position)",
                offset: position)
        }
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

    private mutating func tag() throws(HubValidationError) -> TagExpression {
        let start = position
        tagOffsets.append(start)
        guard tagOffsets.count <= TagExpression.maximumTagCountOfAlternatives else {
            throw TagExpression.tooManyTags(tagOffsets.count, offset: start)
        }
        if bytes[start...].first == UInt8(ascii: "$") { return try bracedID(from: start) }
        while position < bytes.count, NotificationHub.Tag.rule.allows(bytes[position]) { position += 1 }
        guard position > start else { throw unexpected() }
        do {
            return .tag(try NotificationHub.Tag(validating: string(start..<position)))
        } catch {
            throw error.at(offset: start)
        }
    }

    private mutating func bracedID(from start: Int) throws(HubValidationError) -> TagExpression {
        for name in ["$InstallationId:{", "$UserId:{"] where bytes[start...].starts(with: name.utf8) {
            position = start + name.utf8.count
            let id = position
            while position < bytes.count, Installation.UserID.rule.allows(bytes[position]) { position += 1 }
            let text = string(id..<position)
            guard skip("}") else { throw unexpected() }
            do {
                return name == "$UserId:{"
                    ? .user(try Installation.UserID(validating: text))
                    : .installation(try Installation.ID(validating: text))
            } catch {
                throw error.at(offset: start)
            }
        }
        throw unexpected()
    }

    // MARK: Bytes

    private mutating func skip(_ byte: Unicode.Scalar) -> Bool {
        guard position < bytes.count, bytes[position] == UInt8(ascii: byte) else { return false }
        position += 1
        return true
    }

    /// Skips an operator of two equal bytes, and returns whether it follows. A single byte is an error.
    private mutating func skipOperator(_ byte: Unicode.Scalar) throws(HubValidationError) -> Bool {
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

    private func unexpected() -> HubValidationError {
        let problem =
            position < bytes.count
            ? "unexpected character in a tag expression" : "unexpected end of a tag expression"
        return HubValidationError(.invalidTagExpression, "\(problem) at byte \(position)", offset: position)
    }
}

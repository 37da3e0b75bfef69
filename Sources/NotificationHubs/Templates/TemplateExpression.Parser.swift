extension TemplateExpression {
    /// A parse error in a template or an expression.
    package struct ParseError: Error, Hashable {
        package let reason: String
    }

    /// The maximum length of a property's name.
    static let maximumNameLength = 120

    /// Creates an expression from a value; `nil` for a literal, which does not start with `$`, `.`, `%`, `#` or `{`.
    ///
    /// - Throws: ``ParseError`` if the value starts like an expression but is invalid.
    package init?(value: String) throws(ParseError) {
        guard let first = value.unicodeScalars.first, "$.%#{".unicodeScalars.contains(first) else { return nil }
        var parser = Parser(text: value.unicodeScalars[...])
        if first == "{" {
            guard value.unicodeScalars.last == "}", value.unicodeScalars.count > 1 else {
                throw ParseError(reason: "missing } at the end of an expression in braces")
            }
            parser.rest = value.unicodeScalars.dropFirst().dropLast()
        }
        let terms = try parser.terms()
        let hasNumber = terms.contains { term in
            if case .property(let property) = term { property.function == .number } else { false }
        }
        guard terms.count == 1 || !hasNumber else { throw ParseError(reason: "#() cannot be joined with other terms") }
        self.init(terms: terms, isBraced: first == "{")
    }
}

/// A parser for terms joined by `+`.
private struct Parser {
    typealias ParseError = TemplateExpression.ParseError

    var rest: Substring.UnicodeScalarView

    init(text: Substring.UnicodeScalarView) {
        rest = text
    }

    mutating func terms() throws(ParseError) -> [TemplateExpression.Term] {
        var terms: [TemplateExpression.Term] = []
        repeat {
            skipSpaces()
            terms.append(try term())
            skipSpaces()
        } while skip("+")
        guard rest.isEmpty else { throw ParseError(reason: "expected + between terms") }
        return terms
    }

    private mutating func term() throws(ParseError) -> TemplateExpression.Term {
        switch rest.popFirst() {
        case "$": .property(try property(.text))
        case ".": .property(try property(.textWithEllipsis))
        case "%": .property(try property(.percentEncoded))
        case "#": .property(try property(.number))
        case "'": .literal(try literal(until: "'"))
        case "\"": .literal(try literal(until: "\""))
        default: throw ParseError(reason: "expected a term that starts with $( .( %( #( or a quote")
        }
    }

    /// Parses a literal up to its closing quote. A doubled quote stands for one quote.
    private mutating func literal(until quote: Unicode.Scalar) throws(ParseError) -> String {
        var literal = ""
        while let scalar = rest.popFirst() {
            if scalar == quote, !skip(quote) { return literal }
            literal.unicodeScalars.append(scalar)
        }
        throw ParseError(reason: "missing closing quote")
    }

    private mutating func property(
        _ function: TemplateExpression.Property.Function
    ) throws(ParseError) -> TemplateExpression.Property {
        guard skip("(") else { throw ParseError(reason: "expected ( after $, ., % or #") }
        skipSpaces()
        var name = ""
        while let scalar = rest.first, scalar.isTemplateNameCharacter { name.unicodeScalars.append(rest.removeFirst()) }
        guard !name.isEmpty else { throw ParseError(reason: "invalid property name (allowed: letters, digits and _)") }
        guard name.utf8.count <= TemplateExpression.maximumNameLength else {
            throw ParseError(
                reason: "property name too long (allowed: at most \(TemplateExpression.maximumNameLength) characters)")
        }
        var property = TemplateExpression.Property(
            function: function, name: name.lowercased(), writtenName: name)
        if skip(":") { property.defaultValue = try defaultValue() }
        skipSpaces()
        let allowsLength = function == .text || function == .textWithEllipsis
        if allowsLength, skip(",") { property.length = try length() }
        skipSpaces()
        guard skip(")") else { throw ParseError(reason: "expected ), a length or :{…} after the property name") }
        guard function != .textWithEllipsis || property.length != nil else {
            throw ParseError(reason: "missing length: write .(name, n)")
        }
        return property
    }

    /// Parses the default value of a property, in braces. A backslash escapes the next character.
    private mutating func defaultValue() throws(ParseError) -> String {
        guard skip("{") else { throw ParseError(reason: "expected a default value in braces: $(name:{text})") }
        var value = ""
        while let scalar = rest.popFirst() {
            if scalar == "}" { return value }
            guard scalar == "\\" else {
                value.unicodeScalars.append(scalar)
                continue
            }
            guard let escaped = rest.popFirst() else { break }
            value.unicodeScalars.append(escaped)
        }
        throw ParseError(reason: "missing } after a default value")
    }

    private mutating func length() throws(ParseError) -> Int {
        skipSpaces()
        var digits = ""
        while let scalar = rest.first, ("0"..."9").contains(scalar) { digits.unicodeScalars.append(rest.removeFirst()) }
        guard let length = Int32(digits) else {
            throw ParseError(reason: "expected a length: an integer of at least 0")
        }
        return Int(length)
    }

    private mutating func skip(_ scalar: Unicode.Scalar) -> Bool {
        guard rest.first == scalar else { return false }
        rest.removeFirst()
        return true
    }

    private mutating func skipSpaces() {
        rest = rest.drop { $0.properties.isWhitespace }
    }
}

extension Unicode.Scalar {
    /// Whether the name of a property can contain the character.
    var isTemplateNameCharacter: Bool {
        switch self {
        case "a"..."z", "A"..."Z", "0"..."9", "_": true
        default: false
        }
    }
}

extension TemplateExpression {
    /// Why a text is no expression.
    struct Invalid: Error, Hashable {
        let reason: String
    }

    /// The longest name of a property.
    static let maximumNameLength = 120

    /// Reads a whole value.
    ///
    /// - Returns: `nil` for a value that stands as it is: one that begins with none of `$ . % # {`.
    /// - Throws: ``Invalid`` for a value that begins like an expression and is none.
    init?(value: String) throws(Invalid) {
        guard let first = value.unicodeScalars.first, "$.%#{".unicodeScalars.contains(first) else { return nil }
        var parser = Parser(text: value.unicodeScalars[...])
        if first == "{" {
            guard value.unicodeScalars.last == "}", value.unicodeScalars.count > 1 else {
                throw Invalid(reason: "an expression in braces has no end")
            }
            parser.rest = value.unicodeScalars.dropFirst().dropLast()
        }
        let terms = try parser.terms()
        let hasNumber = terms.contains { term in
            if case .property(let property) = term { property.function == .number } else { false }
        }
        guard terms.count == 1 || !hasNumber else { throw Invalid(reason: "#() cannot be joined with anything") }
        self.init(terms: terms, isBraced: first == "{")
    }
}

/// Reads terms with `+` between them.
private struct Parser {
    typealias Invalid = TemplateExpression.Invalid

    var rest: Substring.UnicodeScalarView

    init(text: Substring.UnicodeScalarView) {
        rest = text
    }

    mutating func terms() throws(Invalid) -> [TemplateExpression.Term] {
        var terms: [TemplateExpression.Term] = []
        repeat {
            skipSpaces()
            terms.append(try term())
            skipSpaces()
        } while skip("+")
        guard rest.isEmpty else { throw Invalid(reason: "what is joined has a + between it") }
        return terms
    }

    private mutating func term() throws(Invalid) -> TemplateExpression.Term {
        switch rest.popFirst() {
        case "$": .property(try property(.text))
        case ".": .property(try property(.textWithDots))
        case "%": .property(try property(.uriText))
        case "#": .property(try property(.number))
        case "'": .literal(try literal(until: "'"))
        case "\"": .literal(try literal(until: "\""))
        default: throw Invalid(reason: "an expression begins with $( .( %( #( or a quote")
        }
    }

    /// A text up to its quote; two of them stand for one within.
    private mutating func literal(until quote: Unicode.Scalar) throws(Invalid) -> String {
        var literal = ""
        while let scalar = rest.popFirst() {
            if scalar == quote, !skip(quote) { return literal }
            literal.unicodeScalars.append(scalar)
        }
        throw Invalid(reason: "a text in quotes has no end")
    }

    private mutating func property(
        _ function: TemplateExpression.Property.Function
    ) throws(Invalid) -> TemplateExpression.Property {
        guard skip("(") else { throw Invalid(reason: "a ( follows $, ., % and #") }
        skipSpaces()
        var name = ""
        while let scalar = rest.first, isOfName(scalar) { name.unicodeScalars.append(rest.removeFirst()) }
        guard !name.isEmpty else { throw Invalid(reason: "a property's name has letters, digits and _ only") }
        guard name.utf8.count <= TemplateExpression.maximumNameLength else {
            throw Invalid(reason: "a property's name has \(TemplateExpression.maximumNameLength) characters at most")
        }
        var property = TemplateExpression.Property(function: function, name: name.lowercased())
        if skip(":") { property.defaultValue = try defaultValue() }
        skipSpaces()
        let takesLength = function == .text || function == .textWithDots
        if takesLength, skip(",") { property.length = try length() }
        skipSpaces()
        guard skip(")") else { throw Invalid(reason: "a property's name ends with ), a length, or :{…}") }
        guard function != .textWithDots || property.length != nil else {
            throw Invalid(reason: ".( takes a length: .(name, n)")
        }
        return property
    }

    /// What stands in braces for a property that is missing; a backslash lets the next character stand for itself.
    private mutating func defaultValue() throws(Invalid) -> String {
        guard skip("{") else { throw Invalid(reason: "a default value stands in braces: $(name:{text})") }
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
        throw Invalid(reason: "a default value has no end")
    }

    private mutating func length() throws(Invalid) -> Int {
        skipSpaces()
        var digits = ""
        while let scalar = rest.first, ("0"..."9").contains(scalar) { digits.unicodeScalars.append(rest.removeFirst()) }
        guard let length = Int32(digits) else { throw Invalid(reason: "a length is a number of zero or more") }
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

    private func isOfName(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "a"..."z", "A"..."Z", "0"..."9", "_": true
        default: false
        }
    }
}

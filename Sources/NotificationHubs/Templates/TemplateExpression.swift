import HubText

/// An expression of the template language (Microsoft, "Templates"), such as `$(name)` or `{a + b}`.
///
/// An expression is always an entire value. As in the .NET SDK, the value's first character marks it as an expression.
package struct TemplateExpression: Hashable, Sendable {
    package enum Term: Hashable, Sendable {
        case literal(String)
        case property(Property)
    }

    /// A reference to a value, with its formatting.
    package struct Property: Hashable, Sendable {
        package enum Function: Hashable, Sendable {
            /// `$(name)`, `$(name, n)`.
            case text
            /// `.(name, n)`.
            case textWithEllipsis
            /// `%(name)`.
            case percentEncoded
            /// `#(name)`.
            case number
        }

        var function: Function
        /// The name in lowercase. Names are case-insensitive.
        var name: String
        /// The name as the template has it, for messages.
        var writtenName: String
        var length: Int?
        var defaultValue: String?
    }

    let terms: [Term]
    /// Whether the expression is in braces, where `#(name)` produces a string.
    let isBraced: Bool

    /// Returns the expression's text. Evaluation stops once the text exceeds the maximum size of a template.
    ///
    /// - Parameter values: Returns the value for a lowercase name; `nil` if it is missing.
    package func text(_ values: (String) -> String?) -> String {
        var text = ""
        for term in terms where text.utf8.count <= MessageTemplate.maximumByteCount {
            switch term {
            case .literal(let literal): text += literal
            case .property(let property): text += property.text(values)
            }
        }
        return text
    }

    /// Returns the expression's text if it is a JSON number, which needs no quotes; `nil` if it is a string.
    func number(_ values: (String) -> String?) -> String? {
        guard !isBraced, terms.count == 1, case .property(let property) = terms[0], property.function == .number else {
            return nil
        }
        let text = property.text(values)
        return Self.isNumber(text) ? text : nil
    }

    /// Returns whether a string matches the documentation's rule for numbers: `(0|(-?[1-9][0-9]*))(\.[0-9]+)?((e|E)(\+|-)?[0-9]+)?`.
    static func isNumber(_ text: String) -> Bool {
        var rest = text.utf8[...]
        func isDigit(_ byte: UInt8?) -> Bool { byte?.isASCIIDigit ?? false }
        if rest.first == 0x30 {
            rest.removeFirst()
        } else {
            if rest.first == UInt8(ascii: "-") { rest.removeFirst() }
            guard isDigit(rest.first), rest.first != 0x30 else { return false }
            rest = rest.drop { isDigit($0) }
        }
        if rest.first == UInt8(ascii: ".") {
            guard isDigit(rest.dropFirst().first) else { return false }
            rest = rest.dropFirst().drop { isDigit($0) }
        }
        if rest.first == UInt8(ascii: "e") || rest.first == UInt8(ascii: "E") {
            rest.removeFirst()
            if rest.first == UInt8(ascii: "+") || rest.first == UInt8(ascii: "-") { rest.removeFirst() }
            guard isDigit(rest.first) else { return false }
            rest = rest.drop { isDigit($0) }
        }
        return rest.isEmpty
    }
}

extension TemplateExpression.Property {
    fileprivate func text(_ values: (String) -> String?) -> String {
        let text = values(name) ?? defaultValue ?? ""
        switch function {
        case .text, .number: return length.map { text.clipped(to: $0) } ?? text
        case .textWithEllipsis:
            guard let length, text.utf16.count > length else { return text }
            return text.clipped(to: max(length - 3, 0)) + "...".prefix(length)
        case .percentEncoded: return String(decoding: PercentEncoding.rfc3986.encode(text.utf8), as: UTF8.self)
        }
    }
}

extension String {
    /// Returns the longest prefix of whole Unicode scalars that fits a length in UTF-16 code units, as .NET counts.
    fileprivate func clipped(to length: Int) -> String {
        var clipped = ""
        var count = 0
        for scalar in unicodeScalars {
            count += UTF16.width(scalar)
            guard count <= length else { break }
            clipped.unicodeScalars.append(scalar)
        }
        return clipped
    }
}

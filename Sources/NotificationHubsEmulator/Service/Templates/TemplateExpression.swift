import HubText

/// An expression of the template language (Microsoft, "Templates"): `$(name)` and its kin, and `{a + b}`.
///
/// An expression is the whole of a value, never a part of it: the service's own SDK takes a value for one by its first
/// character, and any other value for a text that stands as it is.
struct TemplateExpression: Hashable, Sendable {
    enum Term: Hashable, Sendable {
        case literal(String)
        case property(Property)
    }

    struct Property: Hashable, Sendable {
        enum Function: Hashable, Sendable {
            /// `$(name)`, `$(name, n)`.
            case text
            /// `.(name, n)`.
            case textWithDots
            /// `%(name)`.
            case uriText
            /// `#(name)`.
            case number
        }

        var function: Function
        /// In lower case: names are the same in any case.
        var name: String
        var length: Int?
        var defaultValue: String?
    }

    let terms: [Term]
    /// Whether it stands in braces, in which nothing becomes a number.
    let isBraced: Bool

    /// The text for some values, by names in lower case. It ends early where it has become longer than any template may.
    func text(_ values: (String) -> String?) -> String {
        var text = ""
        for term in terms where text.utf8.count <= MessageTemplate.maximumByteCount {
            switch term {
            case .literal(let literal): text += literal
            case .property(let property): text += property.text(values)
            }
        }
        return text
    }

    /// The text where it is to be a number of JSON's, without quotes; `nil` where it is a text.
    func number(_ values: (String) -> String?) -> String? {
        guard !isBraced, terms.count == 1, case .property(let property) = terms[0], property.function == .number else {
            return nil
        }
        let text = property.text(values)
        return Self.isNumber(text) ? text : nil
    }

    /// The documentation's own rule: `(0|(-?[1-9][0-9]*))(\.[0-9]+)?((e|E)(\+|-)?[0-9]+)?`.
    static func isNumber(_ text: String) -> Bool {
        var rest = text.utf8[...]
        func isDigit(_ byte: UInt8?) -> Bool { byte.map { (0x30...0x39).contains($0) } ?? false }
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
        case .textWithDots:
            guard let length, text.utf16.count > length else { return text }
            return text.clipped(to: max(length - 3, 0)) + "...".prefix(length)
        case .uriText: return String(decoding: PercentEncoding.rfc3986.encode(text.utf8), as: UTF8.self)
        }
    }
}

extension String {
    /// As many of the characters as fit, in UTF-16 code units, which .NET counts; none is cut in two.
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

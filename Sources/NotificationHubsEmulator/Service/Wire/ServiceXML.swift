import HubText
package import NotificationHubs

#if canImport(FoundationEssentials)
package import struct FoundationEssentials.Date
#else
package import struct Foundation.Date
#endif

extension XMLElement {
    /// Checks that the children are in the order of the service's data contract. The service requires this order.
    ///
    /// - Parameters:
    ///   - names: The children's names in order.
    ///   - kind: The kind of element, for the error message.
    ///   - allowsOthers: Whether children with other names are allowed.
    func checkOrder(_ names: [String], of kind: String, allowsOthers: Bool = true) throws(ServiceError) {
        var next = names.startIndex
        for child in children {
            guard let index = names.firstIndex(of: String(child.localName)) else {
                if allowsOthers { continue }
                throw .badRequest("invalid \(kind): unknown element \(child.localName)")
            }
            guard index >= next else {
                throw .badRequest("invalid \(kind): \(child.localName) must precede \(names[next - 1])")
            }
            next = index + 1
        }
    }

    /// Removes the children that are not in the order of the service's data contract, as its deserializer ignores them.
    ///
    /// - Parameters:
    ///   - names: The children's names in order.
    ///   - required: The names that cannot be ignored.
    ///   - kind: The kind of element, for the error message.
    ///   - onIgnored: A function to call with the name of each removed child.
    mutating func removeMisplaced(
        _ names: [String], required: [String], of kind: String, _ onIgnored: (String) -> Void
    ) throws(ServiceError) {
        var next = names.startIndex
        var kept: [XMLElement] = []
        for child in children {
            let name = String(child.localName)
            let index = names.firstIndex(of: name)
            if let index, index < next {
                guard !required.contains(name) else {
                    throw .badRequest("invalid \(kind): \(name) must precede \(names[next - 1])")
                }
                onIgnored(name)
                continue
            }
            if let index { next = index + 1 }
            kept.append(child)
        }
        children = kept
    }
}

extension Atom {
    /// Returns the elements that precede an entry's content or a feed's entries.
    package static func head(title: String, url: String, times: [(name: String, date: Date)]) -> [XMLElement] {
        [
            XMLElement(name: "id", text: url),
            XMLElement(name: "title", attributes: ["type": "text"], text: title),
        ] + times.map { XMLElement(name: $0.name, text: Timestamp($0.date)?.text ?? "") }
            + [XMLElement(name: "link", attributes: ["rel": "self", "href": url])]
    }
}

/// The escaping of text for XML. Characters that XML 1.0 forbids are removed.
package enum XMLText {
    /// Returns text escaped for an element.
    ///
    /// - Parameters:
    ///   - text: The text.
    ///   - quotes: Whether to also escape quotes and line breaks, as an attribute requires.
    package static func escaped(_ text: some StringProtocol, quotes: Bool = false) -> String {
        text.unicodeScalars.reduce(into: "") { escaped, scalar in
            switch scalar {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"" where quotes: escaped += "&quot;"
            case "'" where quotes: escaped += "&apos;"
            case "\t", "\n", "\r": escaped += quotes ? "&#\(scalar.value);" : String(scalar)
            case _ where isForbidden(scalar): break
            default: escaped.unicodeScalars.append(scalar)
            }
        }
    }

    /// Returns text escaped for a CDATA section.
    ///
    /// The section is split at `]]>`, which would end it, and at carriage returns, which a parser would normalize.
    static func cdataContent(_ text: String) -> String {
        let scalars = text.unicodeScalars.filter { !isForbidden($0) }
        return String(
            scalars.replacing("]]>".unicodeScalars, with: "]]]]><![CDATA[>".unicodeScalars)
                .replacing("\r".unicodeScalars, with: "]]>&#13;<![CDATA[".unicodeScalars))
    }

    /// Returns whether XML 1.0 forbids a character.
    private static func isForbidden(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "\t", "\n", "\r": false
        case "\u{0}"..."\u{1f}", "\u{fffe}", "\u{ffff}": true
        default: false
        }
    }
}

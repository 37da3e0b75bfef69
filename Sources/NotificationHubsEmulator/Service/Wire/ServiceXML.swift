import NotificationHubs

extension XMLElement {
    /// Makes sure that the children stand in the order of the service's data contract, in which it reads them.
    ///
    /// - Parameters:
    ///   - names: the names in that order.
    ///   - what: what the element is, in a word.
    ///   - allowsOthers: whether there may be children of other names.
    func checkOrder(_ names: [String], of what: String, allowsOthers: Bool = true) throws(ServiceRefusal) {
        var next = names.startIndex
        for child in children {
            guard let place = names.firstIndex(of: String(child.localName)) else {
                if allowsOthers { continue }
                throw .badRequest("The \(what) cannot be taken: \(child.localName) is no element of it")
            }
            guard place >= next else {
                throw .badRequest(
                    "The \(what) cannot be taken: \(child.localName) stands behind \(names[next - 1]), before which it "
                        + "belongs")
            }
            next = place + 1
        }
    }
}

/// Text in XML.
enum XMLText {
    /// A text as it stands in an element; with its quotes escaped, in an attribute too.
    static func escaped(_ text: some StringProtocol, quotes: Bool = false) -> String {
        text.unicodeScalars.reduce(into: "") { escaped, scalar in
            switch scalar {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"" where quotes: escaped += "&quot;"
            case "'" where quotes: escaped += "&apos;"
            case "\t", "\n", "\r": escaped += quotes ? "&#\(scalar.value);" : String(scalar)
            case _ where isUnwritable(scalar): break
            default: escaped.unicodeScalars.append(scalar)
            }
        }
    }

    /// A text as it stands in a section of CDATA, whose end it cannot be: it goes on in another section there, and behind a
    /// carriage return, which readers would make a line feed of.
    static func inSection(_ text: String) -> String {
        let scalars = text.unicodeScalars.filter { !isUnwritable($0) }
        return String(
            scalars.replacing("]]>".unicodeScalars, with: "]]]]><![CDATA[>".unicodeScalars)
                .replacing("\r".unicodeScalars, with: "]]>&#13;<![CDATA[".unicodeScalars))
    }

    /// Whether nothing in XML 1.0 stands for a character.
    private static func isUnwritable(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "\t", "\n", "\r": false
        case "\u{0}"..."\u{1f}", "\u{fffe}", "\u{ffff}": true
        default: false
        }
    }
}

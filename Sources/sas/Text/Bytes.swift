import SharedAccessSignature

extension UInt8 {
    /// Whether it is a letter of ASCII.
    var isLetter: Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self | 0x20) }

    /// Space, tab, line feed and their like.
    var isWhiteSpace: Bool { self == 0x20 || (0x09...0x0d).contains(self) }
}

extension Collection<UInt8> {
    /// The bytes as text; what is no UTF-8 becomes U+FFFD.
    var text: String { String(decoding: self, as: UTF8.self) }

    /// The bytes as text, if they are UTF-8.
    var validText: String? {
        let text = text
        return text.utf8.elementsEqual(self) ? text : nil
    }

    /// Whether the bytes are a text of ASCII, in any case.
    func isEqual(ignoringCase text: String) -> Bool {
        elementsEqual(text.utf8, by: { $0.asciiLowercased == $1.asciiLowercased })
    }

    /// Whether a text of ASCII stands at the beginning, in any case.
    func starts(ignoringCase text: String) -> Bool {
        starts(with: text.utf8, by: { $0.asciiLowercased == $1.asciiLowercased })
    }
}

extension Collection<UInt8> where Index == Int {
    /// Where a text of ASCII occurs first, in any case. (The standard library's own search would bring in its regular
    /// expressions, and make the program a third larger.)
    func firstIndex(ofText other: String) -> Int? {
        let other = other.utf8.map(\.asciiLowercased)
        guard let first = other.first else { return nil }
        return indices.first {
            self[$0].asciiLowercased == first && self[$0...].prefix(other.count).map(\.asciiLowercased) == other
        }
    }
}

extension ArraySlice<UInt8> {
    /// The bytes without white space at either end.
    var trimmed: Self {
        var rest = drop(while: \.isWhiteSpace)
        while let last = rest.last, last.isWhiteSpace { rest.removeLast() }
        return rest
    }
}

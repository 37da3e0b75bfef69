import HubText

extension Collection<UInt8> {
    /// The bytes as text; what is no UTF-8 becomes U+FFFD.
    var text: String { String(decoding: self, as: UTF8.self) }

    /// The bytes as text, if they are UTF-8.
    var validText: String? { String(strictUTF8: self) }
}

extension Collection<UInt8> where Index == Int {
    /// Where a text of ASCII occurs first, in any case. (The standard library's own search would bring in its regular
    /// expressions, and make the program a third larger.)
    func firstIndex(ofText other: String) -> Int? {
        let other = other.utf8.asciiLowercased
        guard let first = other.first else { return nil }
        return indices.first {
            self[$0].asciiLowercased == first && self[$0...].prefix(other.count).asciiLowercased == other
        }
    }
}

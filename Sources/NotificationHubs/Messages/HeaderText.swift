/// What this SDK puts into a header where the text is not its own.
enum HeaderText {
    /// Whether a text is printable ASCII, not empty, without spaces at its ends.
    static func isAllowed(_ text: String) -> Bool {
        guard let first = text.utf8.first, let last = text.utf8.last, first != 0x20, last != 0x20 else { return false }
        return text.utf8.allSatisfy { $0 >= 0x20 && $0 <= 0x7e }
    }
}

/// A text that equals none but those of the same bytes. Two `String`s are equal if they look the same: a resource would get
/// another's token.
struct ExactText: Hashable, Sendable {
    let text: String

    static func == (left: Self, right: Self) -> Bool {
        left.text.utf8.elementsEqual(right.text.utf8)
    }

    func hash(into hasher: inout Hasher) {
        for byte in text.utf8 { hasher.combine(byte) }
    }
}

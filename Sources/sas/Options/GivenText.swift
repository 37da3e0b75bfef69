import HubText

/// A key's text as it was given, and what it may be meant to be.
struct GivenText {
    /// What stands around the key itself, or in it, and is no part of it; empty if nothing does.
    private(set) var surroundings: [String] = []
    /// The key without all that.
    private(set) var bare: [UInt8]

    init(_ text: [UInt8]) {
        bare = text
        if bare.contains(0) { take("a NUL") { $0.filter { $0 != 0 } } }
        while true {
            let before = bare
            if bare.starts(with: [0xef, 0xbb, 0xbf]) { take("a byte order mark") { Array($0.dropFirst(3)) } }
            let trimmed = Array(bare[...].trimmed)
            if trimmed != bare {
                let hasLineBreak = bare.contains { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }
                take(hasLineBreak ? "a line break" : "white space") { _ in trimmed }
            }
            if let first = bare.first, bare.count > 1, bare.last == first, "\"'`".utf8.contains(first) {
                take("quotes") { Array($0.dropFirst().dropLast()) }
            }
            if bare == before { return }
        }
    }

    private mutating func take(_ name: String, _ change: ([UInt8]) -> [UInt8]) {
        if !surroundings.contains(name) { surroundings.append(name) }
        bare = change(bare)
    }
}

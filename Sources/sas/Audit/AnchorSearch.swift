import HubText

/// Finds the word with which all secrets of this kind begin, or a part of them does: `SharedAccess`, in any case, in ASCII or
/// UTF-16.
///
/// It looks at every twelfth byte or so (Horspool's algorithm): most of what is searched has no such word.
struct AnchorSearch {
    /// How far apart the letters are: 1, or 2 in UTF-16.
    let stride: Int
    private let pattern: [UInt8]
    /// How far to go on by the byte that stands at the pattern's end.
    private let steps: [Int]

    init(stride: Int) {
        self.stride = stride
        var pattern: [UInt8] = []
        for letter in "sharedaccess".utf8 {
            if stride == 2, !pattern.isEmpty { pattern.append(0) }
            pattern.append(letter)
        }
        var steps = [Int](repeating: pattern.count, count: 256)
        for (index, byte) in pattern.dropLast().enumerated() {
            steps[Int(byte)] = pattern.count - 1 - index
            if byte.isASCIILetter { steps[Int(byte & 0xdf)] = pattern.count - 1 - index }
        }
        (self.pattern, self.steps) = (pattern, steps)
    }

    /// The first place in a range at which the word begins. It may end behind the range.
    func first(in bytes: [UInt8], _ range: Range<Int>) -> Int? {
        var position = range.lowerBound
        while position < range.upperBound, position + pattern.count <= bytes.count {
            let last = bytes[position + pattern.count - 1]
            if last.asciiLowercased == UInt8(ascii: "s"), matches(bytes, position) { return position }
            position += steps[Int(last)]
        }
        return nil
    }

    private func matches(_ bytes: [UInt8], _ position: Int) -> Bool {
        for index in pattern.indices where bytes[position + index].asciiLowercased != pattern[index] { return false }
        return true
    }
}

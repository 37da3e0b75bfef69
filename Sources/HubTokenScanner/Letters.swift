import HubText

/// Bytes read in place as letters, in ASCII or UTF-16.
struct Letters: RandomAccessCollection {
    private let bytes: [UInt8]
    /// The distance between letters: 1, or 2 in UTF-16.
    private let stride: Int
    /// The offset of the first letter: in UTF-16, the bytes may start with half of a code unit.
    private let phase: Int
    let startIndex: Int
    let endIndex: Int

    /// The letters around one, within a number of bytes before and after it.
    init(_ bytes: [UInt8], around word: Int, stride: Int, before: Int, after: Int) {
        (self.bytes, self.stride, phase) = (bytes, stride, word % stride)
        let index = word / stride
        startIndex = Swift.max(0, index - before / stride)
        endIndex = Swift.min((bytes.count - phase + stride - 1) / stride, index + after / stride)
    }

    private init(_ other: Letters, _ range: Range<Int>) {
        (bytes, stride, phase) = (other.bytes, other.stride, other.phase)
        (startIndex, endIndex) = (range.lowerBound, range.upperBound)
    }

    /// Whether more bytes follow.
    var isCut: Bool { place(endIndex) < bytes.count }

    /// A letter's offset in the bytes.
    func place(_ index: Int) -> Int { phase + index * stride }

    /// The first letter at or after an offset in the bytes.
    func index(notBefore place: Int) -> Int { (place - phase + stride - 1) / stride }

    /// The letter; in UTF-16, 0 for anything outside ASCII.
    subscript(index: Int) -> UInt8 {
        let place = place(index)
        return stride == 2 && place + 1 < bytes.count && bytes[place + 1] != 0 ? 0 : bytes[place]
    }

    subscript(range: Range<Int>) -> Letters { Letters(self, range) }
}

/// Finds the word that each secret contains: `SharedAccess`, in any case, in ASCII or UTF-16.
///
/// Horspool's algorithm inspects about every twelfth byte of an input without the word.
struct AnchorSearch {
    /// The distance between letters: 1, or 2 in UTF-16.
    let stride: Int
    private let pattern: [UInt8]
    /// The distance to advance, by the byte at the pattern's end.
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

    /// The first position in a range where the word starts. The word may end after the range.
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

import HubText

/// A view of bytes as the code units of ASCII or UTF-16 text.
struct CodeUnits: RandomAccessCollection {
    private let bytes: [UInt8]
    /// The size of a code unit in bytes: 1, or 2 in UTF-16.
    private let stride: Int
    /// The offset of the first code unit. UTF-16 text may start at an odd offset.
    private let phase: Int
    let startIndex: Int
    let endIndex: Int

    /// Creates a view around a byte offset, limited to `before` preceding and `after` following bytes.
    init(_ bytes: [UInt8], around offset: Int, stride: Int, before: Int, after: Int) {
        (self.bytes, self.stride, phase) = (bytes, stride, offset % stride)
        let index = offset / stride
        startIndex = Swift.max(0, index - before / stride)
        endIndex = Swift.min((bytes.count - phase + stride - 1) / stride, index + after / stride)
    }

    private init(_ other: CodeUnits, _ range: Range<Int>) {
        (bytes, stride, phase) = (other.bytes, other.stride, other.phase)
        (startIndex, endIndex) = (range.lowerBound, range.upperBound)
    }

    /// Whether the bytes continue after the view.
    var isTruncated: Bool { byteOffset(of: endIndex) < bytes.count }

    /// Returns the byte offset of a code unit.
    func byteOffset(of index: Int) -> Int { phase + index * stride }

    /// Returns the index of the first code unit at or after a byte offset.
    func index(atOrAfter offset: Int) -> Int { (offset - phase + stride - 1) / stride }

    /// Accesses a code unit; 0 for a UTF-16 code unit outside ASCII.
    subscript(index: Int) -> UInt8 {
        let offset = byteOffset(of: index)
        return stride == 2 && offset + 1 < bytes.count && bytes[offset + 1] != 0 ? 0 : bytes[offset]
    }

    subscript(range: Range<Int>) -> CodeUnits { CodeUnits(self, range) }
}

/// A search for `SharedAccess`, the anchor word of every secret, in any case, in ASCII or UTF-16.
///
/// It uses Horspool's algorithm. In input without the word, it inspects about one byte in twelve, the word's length.
struct AnchorSearch {
    /// The size of a code unit in bytes: 1, or 2 in UTF-16.
    let stride: Int
    private let pattern: [UInt8]
    /// The distance to advance for each value of the byte at the pattern's end.
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

    /// Returns the first position in a range at which the word starts. The word may end after the range.
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

/// A view of bytes as the code units of ASCII, UTF-16 or UTF-32 text.
///
/// The byte order does not matter: in big-endian text, the zero bytes of the next character follow each ASCII character.
struct CodeUnits: RandomAccessCollection {
    private let bytes: [UInt8]
    /// The size of a code unit in bytes: 1, 2 or 4.
    private let stride: Int
    /// The offset of the first code unit. Wide text may start at any offset.
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

    /// Returns the byte offset of a code unit. The last one can be incomplete, and ends with the bytes.
    func byteOffset(of index: Int) -> Int { Swift.min(phase + index * stride, bytes.count) }

    /// Returns the index of the first code unit at or after a byte offset.
    func index(atOrAfter offset: Int) -> Int { (offset - phase + stride - 1) / stride }

    /// Accesses a code unit; 0 for a wide code unit outside ASCII.
    subscript(index: Int) -> UInt8 {
        if stride == 1 { return bytes[index] }
        let offset = byteOffset(of: index)
        return bytes.hasZeros(after: offset, stride - 1) ? bytes[offset] : 0
    }

    subscript(range: Range<Int>) -> CodeUnits { CodeUnits(self, range) }
}

extension [UInt8] {
    /// Returns whether the bytes after an offset are zero or missing.
    @inline(__always)
    fileprivate func hasZeros(after offset: Int, _ count: Int) -> Bool {
        for index in (offset + 1)..<(offset + 1 + count) where index < self.count && self[index] != 0 { return false }
        return true
    }
}

extension BidirectionalCollection {
    /// Returns the longest suffix whose elements all satisfy a predicate.
    func suffix(while predicate: (Element) -> Bool) -> SubSequence {
        var start = endIndex
        while start > startIndex, predicate(self[index(before: start)]) { formIndex(before: &start) }
        return self[start...]
    }
}

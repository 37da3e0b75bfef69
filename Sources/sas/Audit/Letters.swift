/// Bytes read as letters, in ASCII or UTF-16, in place: no copy is made, whatever part of them is looked at.
struct Letters: RandomAccessCollection {
    private let bytes: [UInt8]
    /// How far apart letters are: 1, or 2 in UTF-16.
    private let stride: Int
    /// Where the first letter is of all bytes: in UTF-16, they may begin with the second half of one.
    private let phase: Int
    let startIndex: Int
    let endIndex: Int

    /// The letters around one, so many bytes before and behind it.
    init(_ bytes: [UInt8], around word: Int, stride: Int, before: Int, behind: Int) {
        (self.bytes, self.stride, phase) = (bytes, stride, word % stride)
        let index = word / stride
        startIndex = Swift.max(0, index - before / stride)
        endIndex = Swift.min((bytes.count - phase + stride - 1) / stride, index + behind / stride)
    }

    private init(_ other: Letters, _ range: Range<Int>) {
        (bytes, stride, phase) = (other.bytes, other.stride, other.phase)
        (startIndex, endIndex) = (range.lowerBound, range.upperBound)
    }

    /// Whether more follows.
    var isCut: Bool { place(endIndex) < bytes.count }

    /// Where a letter is in the bytes.
    func place(_ index: Int) -> Int { phase + index * stride }

    /// The first letter that does not begin before a place in the bytes.
    func index(notBefore place: Int) -> Int { (place - phase + stride - 1) / stride }

    /// The letter; in UTF-16, what is no ASCII is 0.
    subscript(index: Int) -> UInt8 {
        let place = place(index)
        return stride == 2 && place + 1 < bytes.count && bytes[place + 1] != 0 ? 0 : bytes[place]
    }

    subscript(range: Range<Int>) -> Letters { Letters(self, range) }
}

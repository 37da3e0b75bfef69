import HubText

/// A position in text: its line and its column.
struct TextPosition: Hashable {
    /// The line number, counted from 1.
    private(set) var line = 1
    /// The column in Unicode code points (UTF-16 code units in UTF-16 text), counted from 1.
    private(set) var column = 1

    /// Advances over a range of bytes.
    mutating func advance(over bytes: Span<UInt8>, _ encoding: TextEncoding) {
        let size = encoding.unitSize
        var lineCount = 0
        var rest = 0
        if size == 1 {
            while let end = bytes.firstIndex(of: UInt8(ascii: "\n"), from: rest) {
                lineCount += 1
                rest = end + 1
            }
        } else {
            for index in stride(from: 0, to: bytes.count - size + 1, by: size)
            where encoding.isLineFeed(bytes.extracting(index..<(index + size))) {
                lineCount += 1
                rest = index + size
            }
        }
        if lineCount > 0 {
            line += lineCount
            column = 1
        }
        if size > 1 {
            column += (bytes.count - rest) / size
        } else {
            // The first byte of each character in UTF-8 is not of the form 10xxxxxx.
            for index in rest..<bytes.count { column &+= bytes[index] & 0xc0 != 0x80 ? 1 : 0 }
        }
    }
}

/// The encoding of text.
struct TextEncoding {
    /// The size of a code unit in bytes: 1, 2 or 4.
    let unitSize: Int
    private let isBigEndian: Bool
    /// The size of the byte order mark.
    let markSize: Int

    /// Detects the encoding by the byte order mark, or by the zero bytes of the first characters.
    init(start bytes: ArraySlice<UInt8>) {
        func starts(_ mark: [UInt8]) -> Bool { bytes.starts(with: mark) }
        let zeros = bytes.prefix(16).map { $0 == 0 }
        (unitSize, isBigEndian, markSize) =
            if starts([0xff, 0xfe, 0, 0]) { (4, false, 4) } else if starts([0, 0, 0xfe, 0xff]) {
                (4, true, 4)
            } else if starts([0xff, 0xfe]) { (2, false, 2) } else if starts([0xfe, 0xff]) {
                (2, true, 2)
            } else if starts([0xef, 0xbb, 0xbf]) {
                (1, false, 3)
            } else if zeros.elementsEqual(Self.pattern([false, true])) {
                (2, false, 0)
            } else if zeros.elementsEqual(Self.pattern([true, false])) {
                (2, true, 0)
            } else if zeros.elementsEqual(Self.pattern([false, true, true, true])) {
                (4, false, 0)
            } else if zeros.elementsEqual(Self.pattern([true, true, true, false])) {
                (4, true, 0)
            } else {
                (1, false, 0)
            }
    }

    /// Returns which of the first 16 bytes are zero in ASCII text.
    private static func pattern(_ unit: [Bool]) -> [Bool] {
        [Bool](repeatElement(unit, count: 16 / unit.count).joined())
    }

    /// Returns whether a code unit is a line feed.
    func isLineFeed(_ unit: Span<UInt8>) -> Bool {
        for index in unit.indices {
            let isLowest = index == (isBigEndian ? unit.count - 1 : 0)
            if unit[index] != (isLowest ? UInt8(ascii: "\n") : 0) { return false }
        }
        return true
    }
}

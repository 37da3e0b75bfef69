import HubText

/// A search for long runs of the characters that encoded secrets consist of, in ASCII, UTF-16 or UTF-32.
///
/// The characters are those of Base64 in both alphabets, and those of escapes: `%`, `\`, `&`, `#` and `;`. A long run contains one of
/// any ``minimumCount`` successive positions, so in other text the search inspects few bytes.
struct RunSearch {
    /// The length of the shortest run, in code units: the Base64 characters of 32 bytes, the size of keys and signatures.
    static let minimumCount = 43
    /// The length of the longest run, in code units. A longer run is found in pieces.
    static let maximumCount = 16_384

    /// The size of a code unit in bytes: 1, 2 or 4.
    let stride: Int

    /// Returns the first run, or the first ``maximumCount`` code units of it, that starts in a range of bytes. The run may
    /// end after the range.
    ///
    /// - Parameter floor: The offset before which no run starts. It is at most the start of the range.
    func first(in bytes: Span<UInt8>, _ range: Range<Int>, floor: Int) -> Range<Int>? {
        switch stride {
        case 1: first(in: bytes, range, floor, stride: 1)
        case 2: first(in: bytes, range, floor, stride: 2)
        default: first(in: bytes, range, floor, stride: 4)
        }
    }

    /// The stride is a constant for the optimizer.
    @inline(__always)
    private func first(in bytes: Span<UInt8>, _ range: Range<Int>, _ floor: Int, stride: Int) -> Range<Int>? {
        let distance = (Self.minimumCount - 1) * stride
        var probe = range.lowerBound + distance
        while probe < bytes.count, probe - distance < range.upperBound {
            guard let hit = Self.firstMember(in: bytes, probe, stride) else {
                probe += distance + stride
                continue
            }
            var start = hit
            while start - stride >= floor, Self.isMember(bytes, start - stride, stride) { start -= stride }
            if hit - start >= distance {
                var end = hit + stride
                let limit = start >= range.lowerBound ? start + Self.maximumCount * stride : bytes.count
                while end < min(limit, bytes.count), Self.isMember(bytes, end, stride) { end += stride }
                if start >= range.lowerBound { return start < range.upperBound ? start..<end : nil }
                probe = end + distance
            } else {
                probe = start + distance
            }
        }
        return nil
    }

    /// Returns the offset of a run's character in the code unit's width of bytes at an offset.
    @inline(__always)
    private static func firstMember(in bytes: Span<UInt8>, _ offset: Int, _ stride: Int) -> Int? {
        for index in offset..<min(offset + stride, bytes.count) where isMember(bytes, index, stride) { return index }
        return nil
    }

    @inline(__always)
    private static func isMember(_ bytes: Span<UInt8>, _ offset: Int, _ stride: Int) -> Bool {
        guard isMember(bytes[offset]) else { return false }
        for index in (offset + 1)..<(offset + stride) where index < bytes.count && bytes[index] != 0 { return false }
        return true
    }

    /// Returns whether a byte is in the standard or the URL alphabet of Base64.
    @inline(__always)
    static func isBase64(_ byte: UInt8) -> Bool {
        isMember(byte) && !(0x23...0x26).contains(byte) && byte != UInt8(ascii: ";") && byte != UInt8(ascii: "\\")
    }

    /// Returns whether a byte can be part of an encoded secret.
    @inline(__always)
    static func isMember(_ byte: UInt8) -> Bool {
        // One bit for each of the characters 0 to 63 and 64 to 127: # % & + - / 0-9 ;, and A-Z \ _ a-z.
        let low: UInt64 = 1 << 35 | 1 << 37 | 1 << 38 | 1 << 59 | 1 << 43 | 1 << 45 | 1 << 47 | 0x3ff << 48
        let high: UInt64 = 0x07ff_fffe_07ff_fffe | 1 << 28 | 1 << 31
        return byte < 128 && (byte < 64 ? low : high) &>> UInt64(byte & 63) & 1 == 1
    }
}

/// A search for `SharedAccessKey`, which every connection string contains, in any case, in ASCII, UTF-16 or UTF-32.
///
/// It is Horspool's algorithm with pairs of bytes, which occur in the word less often than single bytes. In other text, it
/// inspects about two bytes in twelve.
struct WordSearch {
    private let pattern: [UInt8]
    /// The distance to advance for each hash of the pair of bytes at the pattern's end; 0 if the word can end there.
    private let steps: ContiguousArray<UInt8>
    /// The smallest distance to the next occurrence after a pair that can end the word.
    private let stepAfterEnd: Int

    /// Creates a search.
    ///
    /// - Parameter stride: The size of a code unit in bytes: 1, 2 or 4.
    init(stride: Int) {
        var pattern: [UInt8] = []
        for letter in "sharedaccesskey".utf8 {
            if !pattern.isEmpty { pattern += [UInt8](repeating: 0, count: stride - 1) }
            pattern.append(letter)
        }
        let cases = pattern.map { $0 == 0 ? [$0] : [$0, $0 & 0xdf] }
        var steps = ContiguousArray(repeating: UInt8(pattern.count - 1), count: Self.hashCount)
        var stepAfterEnd = pattern.count - 1
        for index in pattern.indices.dropFirst() {
            let step = pattern.count - 1 - index
            for first in cases[index - 1] {
                for second in cases[index] {
                    let hash = Self.hash(first, second)
                    if step == 0, steps[hash] > 0 { stepAfterEnd = min(stepAfterEnd, Int(steps[hash])) }
                    steps[hash] = min(steps[hash], UInt8(step))
                }
            }
        }
        (self.pattern, self.steps, self.stepAfterEnd) = (pattern, steps, stepAfterEnd)
    }

    private static let hashCount = 1024

    @inline(__always)
    private static func hash(_ first: UInt8, _ second: UInt8) -> Int {
        (Int(first) &* 37 &+ Int(second)) & (hashCount - 1)
    }

    /// Returns the first position in a range at which the word starts. The word may end after the range.
    func first(in bytes: Span<UInt8>, _ range: Range<Int>) -> Int? {
        let steps = steps.span
        var end = range.lowerBound + pattern.count - 1
        while end < bytes.count, end - pattern.count + 1 < range.upperBound {
            let step = steps[Self.hash(bytes[end - 1], bytes[end])]
            if step > 0 {
                end += Int(step)
            } else {
                let position = end - pattern.count + 1
                if matches(bytes, position) { return position }
                end += stepAfterEnd
            }
        }
        return nil
    }

    private func matches(_ bytes: Span<UInt8>, _ position: Int) -> Bool {
        for index in pattern.indices where bytes[position + index].asciiLowercased != pattern[index] { return false }
        return true
    }
}

import HubText

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

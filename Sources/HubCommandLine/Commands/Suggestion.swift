/// The name that a user probably meant.
package enum Suggestion {
    /// Returns ` (did you mean NAME?)` with the name that is most similar to a word; empty if none is similar.
    package static func text(for word: String, among names: [String]) -> String {
        name(for: word, among: names).map { " (did you mean \($0)?)" } ?? ""
    }

    /// Returns the name that is most similar to a word; `nil` if none is similar.
    package static func name(for word: String, among names: [String]) -> String? {
        let limit = max(1, min(3, word.utf8.count / 3))
        let nearest = names.map { (distance(Array(word.utf8), Array($0.utf8)), $0) }.min { $0.0 < $1.0 }
        guard let (distance, name) = nearest, distance <= limit else { return nil }
        return name
    }

    /// Returns the number of insertions, deletions, substitutions and swaps of neighbors between two words.
    private static func distance(_ left: [UInt8], _ right: [UInt8]) -> Int {
        var beforePrevious: [Int] = []
        var previous = Array(0...right.count)
        for (row, byte) in left.enumerated() {
            var current = [row + 1]
            for (column, other) in right.enumerated() {
                var least = min(
                    previous[column + 1] + 1, current[column] + 1, previous[column] + (byte == other ? 0 : 1))
                if row > 0, column > 0, byte == right[column - 1], left[row - 1] == other {
                    least = min(least, beforePrevious[column - 1] + 1)
                }
                current.append(least)
            }
            (beforePrevious, previous) = (previous, current)
        }
        return previous[right.count]
    }
}

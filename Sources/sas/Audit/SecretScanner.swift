/// Finds tokens, connection strings and keys in bytes of any kind. It reads and writes nothing else.
///
/// Of what is too large to be at hand as a whole, parts may be searched one after the other, as long as each is given with
/// ``contextBefore`` and ``contextBehind`` around it.
struct SecretScanner {
    /// How many bytes must be at hand before a part that is searched, and behind it.
    static let contextBefore = 2 * ConnectionStringPattern.longestStart
    static let contextBehind = 32_768

    private let searches = [AnchorSearch(stride: 1), AnchorSearch(stride: 2)]
    /// What was looked at already, for each search.
    private var progress = [Progress(), Progress()]

    /// Up to where a search need not look again, in all that is searched.
    struct Progress {
        /// What is part of a find.
        var found = 0
        /// What was looked at as a part of connection strings, for each number of times that it may be percent-encoded.
        var examined = [0, 0, 0]
    }

    /// All that is in some bytes, in order.
    static func finds(in bytes: [UInt8]) -> [SecretFind] {
        var scanner = SecretScanner()
        return scanner.scan(bytes, bytes.indices, offset: 0)
    }

    /// What is in a part of the bytes at hand.
    ///
    /// - Parameters:
    ///   - bytes: the bytes at hand.
    ///   - part: where the word may begin by which things are found.
    ///   - offset: where the bytes at hand begin in all that is searched.
    mutating func scan(_ bytes: [UInt8], _ part: Range<Int>, offset: Int) -> [SecretFind] {
        var finds: [SecretFind] = []
        for index in searches.indices {
            var rest = part
            while let position = searches[index].first(in: bytes, rest) {
                rest = (position + 1)..<part.upperBound
                if position + offset < progress[index].found { continue }
                let letters = Letters(
                    bytes, around: position, stride: searches[index].stride, before: Self.contextBefore,
                    behind: Self.contextBehind / 2)
                finds += Self.finds(in: letters, position / searches[index].stride, offset, &progress[index])
            }
        }
        return finds.sorted { $0.offset < $1.offset }
    }

    /// What begins at a word, or has it within.
    private static func finds(
        in text: Letters, _ position: Int, _ offset: Int, _ progress: inout Progress
    ) -> [SecretFind] {
        if let token = TokenPattern.match(text, at: position) {
            progress.found = text.place(token.end) + offset
            let find = SecretFind(
                kind: .token, offset: text.place(position) + offset, place: token.resource, keyName: token.keyName,
                expiry: token.expiry, fingerprint: token.fingerprint)
            return [find]
        }
        let before = progress.examined.map { text.index(notBefore: max($0, progress.found) - offset) }
        var examined = before
        let matches = ConnectionStringPattern.matches(text, around: position, &examined)
        for level in examined.indices where examined[level] > before[level] {
            progress.examined[level] = text.place(examined[level]) + offset
        }
        return matches.map { match in
            progress.found = max(progress.found, text.place(match.end) + offset)
            return SecretFind(
                kind: match.host == nil ? .key : .connectionString, offset: text.place(match.start) + offset,
                place: match.host, keyName: match.keyName, expiry: nil, fingerprint: match.fingerprint)
        }
    }
}

/// Finds tokens, connection strings and keys in bytes of any kind. It reads and writes nothing else.
///
/// Of what is too large to be at hand as a whole, parts may be searched one after the other, as long as each is given with
/// ``contextBefore`` and ``contextBehind`` around it.
struct SecretScanner {
    /// How many bytes must be at hand before a part that is searched, and behind it.
    static let contextBefore = 2 * ConnectionStringPattern.longestStart
    static let contextBehind = 32_768

    private let searches = [AnchorSearch(stride: 1), AnchorSearch(stride: 2)]
    /// Up to where things were found already, for each search.
    private var doneUpTo = [0, 0]

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
                if position + offset < doneUpTo[index] { continue }
                let window = Window(bytes, around: position, stride: searches[index].stride)
                let (found, end) = window.finds(offset: offset)
                finds += found
                doneUpTo[index] = end + offset
            }
        }
        return finds.sorted { $0.offset < $1.offset }
    }
}

/// What stands around a word that was found, a byte a letter.
private struct Window {
    private let stride: Int
    private let text: [UInt8]
    /// Where the window begins in the bytes at hand.
    private let start: Int
    /// Where the word is in the window.
    private let position: Int

    init(_ bytes: [UInt8], around word: Int, stride: Int) {
        self.stride = stride
        if stride == 1 {
            // No copy byte by byte: patterns see for themselves where a line ends.
            start = max(0, word - SecretScanner.contextBefore)
            text = Array(bytes[start..<min(bytes.count, word + SecretScanner.contextBehind / 2)])
            position = word - start
            return
        }
        var start = word
        while start - stride >= 0, word - start < SecretScanner.contextBefore,
            !Self.isLineEnd(bytes, start - stride, stride)
        {
            start -= stride
        }
        var text: [UInt8] = []
        var end = start
        while end < bytes.count, end - word < SecretScanner.contextBehind / 2, !Self.isLineEnd(bytes, end, stride) {
            text.append(bytes[end])
            end += stride
        }
        (self.text, self.start, position) = (text, start, (word - start) / stride)
    }

    /// What begins at the word, or has it within; and where that ends in the bytes at hand.
    func finds(offset: Int) -> ([SecretFind], end: Int) {
        if let token = TokenPattern.match(text, at: position) {
            let find = SecretFind(
                kind: .token, offset: place(position) + offset, place: token.resource, keyName: token.keyName,
                expiry: token.expiry, fingerprint: token.fingerprint)
            return ([find], place(token.end))
        }
        guard text[position...].starts(ignoringCase: "SharedAccessKey") else { return ([], place(position + 1)) }
        let (matches, end) = ConnectionStringPattern.matches(text, around: position)
        let finds = matches.map { match in
            SecretFind(
                kind: match.host == nil ? .key : .connectionString, offset: place(match.start) + offset,
                place: match.host, keyName: match.keyName, expiry: nil, fingerprint: match.fingerprint)
        }
        return (finds, place(end))
    }

    private func place(_ index: Int) -> Int { start + index * stride }

    /// Whether a line ends somewhere, or, in UTF-16, what is no ASCII begins: nothing goes on beyond that.
    private static func isLineEnd(_ bytes: [UInt8], _ index: Int, _ stride: Int) -> Bool {
        if bytes[index] == 0x0a || bytes[index] == 0x0d || bytes[index] == 0 { return true }
        return stride == 2 && index + 1 < bytes.count && bytes[index + 1] != 0
    }
}

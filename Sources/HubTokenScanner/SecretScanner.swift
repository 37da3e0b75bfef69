import HubText

/// A scanner that finds tokens, connection strings and keys in bytes.
///
/// The stages, in order, with the type of each:
///
/// 1. The bytes are read as code units of one, two and four bytes (`CodeUnits`). Each width has its own `Search`.
/// 2. `RunSearch` finds long runs of the characters of Base64 and of escapes, of which all keys and signatures of Azure consist.
/// 3. `EncodedRun` examines a run. `TokenPattern` matches tokens around a signature. `KeyPattern` matches keys by their format
///    (`AzureKey`), and by the names and the text around them (`KeyEvidence.swift` lists the words).
/// 4. Without a match, a layer of encoding is removed: escapes (`UnescapedText`), or Base64 and gzip (`EncodedText`). `Decoding` scans
///    the result like an input, through at most three layers.
/// 5. `WordSearch` finds the word `SharedAccessKey`, and `ConnectionStringPattern` matches the connection string around it.
/// 6. `ServiceKeyPattern` matches keys of other services by the rules in `ServiceKeyRule`, and `ClientSecretPattern`
///    matches client secrets around `Q~`.
/// 7. `Search` drops a match that ends where another one ends: a connection string and the run of its key are one secret.
///
/// To search a large input, scan its parts in order. Pass each part with the ``contextBefore`` bytes that precede it and the
/// ``contextAfter`` bytes that follow it.
package struct SecretScanner {
    /// The number of bytes that must precede a part, unless the input starts there.
    package static let contextBefore = 16_384
    /// The number of bytes that must follow a part, unless the input ends there.
    ///
    /// A long run and a connection string that starts in it.
    package static let contextAfter = 2 * maximumCount
    /// The size of the longest secret in any encoding, in bytes.
    fileprivate static let maximumCount = 4 * RunSearch.maximumCount

    /// The searches for the code units of each width.
    private var searches = Search.all
    private(set) var decoding: Decoding

    /// Returns the start of the content of a gzip file in memory, at most a number of bytes.
    package typealias Decompressor = @Sendable (_ compressed: [UInt8], _ maximumCount: Int) -> [UInt8]

    /// Creates a scanner at the start of an input.
    ///
    /// - Parameter decompress: Decompresses gzip in Base64. If `nil`, it is not searched.
    package init(decompress: Decompressor? = nil) {
        self.init(Decoding(decompress))
    }

    /// Creates a scanner of decoded text.
    init(_ decoding: Decoding) {
        self.decoding = decoding
    }

    /// The number of bytes that were searched or decoded, in all layers of encoding.
    package var work: Int { decoding.work }

    /// Returns the secrets in a complete input, in order.
    package static func matches(in bytes: [UInt8]) -> [SecretMatch] {
        var scanner = SecretScanner()
        return scanner.scan(bytes, bytes.indices, offset: 0)
    }

    /// Returns the secrets in a part of the input, in order.
    ///
    /// - Parameters:
    ///   - bytes: The part and its context.
    ///   - part: The range of `bytes` in which a secret's word or long run may start.
    ///   - offset: The offset of `bytes` in the input.
    package mutating func scan(_ bytes: [UInt8], _ part: Range<Int>, offset: Int) -> [SecretMatch] {
        var matches: [SecretMatch] = []
        decoding.count(part.count)
        // Wide text contains zero bytes, and most input contains none.
        let context = bytes[...]
        let zero = context.span.firstIndex(of: 0, from: part.lowerBound)
        let hasZeros = zero.map { $0 <= part.upperBound } ?? false
        for index in searches.indices where index == 0 || hasZeros {
            matches += searches[index].scan(bytes, part, offset, &decoding)
        }
        return matches.sorted {
            ($0.range.lowerBound, $0.range.upperBound) < ($1.range.lowerBound, $1.range.upperBound)
        }
    }
}

/// A search for secrets in text whose code units have one width.
private struct Search {
    private let stride: Int
    private let words: WordSearch
    private let runs: RunSearch
    /// The input offsets up to which connection strings were searched, for each level of percent-encoding.
    private var examined = [0, 0, 0]
    /// The input offset up to which words were searched.
    private var wordEnd = 0
    /// The input offset up to which long runs were examined.
    private var runEnd = 0
    /// The input offset at which a run continues Base64 of text; `nil` if none does.
    private var continuation: Int?
    /// The input offset up to which escapes were removed.
    private var unescapedEnd = 0
    /// The input offsets at which the last matches end.
    private var matchedEnds: Set<Int> = []
    /// The input offsets of the matches that can contain words that were not searched yet.
    private var matched: [Range<Int>] = []

    /// The searches at the start of an input.
    static let all = [1, 2, 4].map(Search.init)

    private init(stride: Int) {
        self.stride = stride
        words = WordSearch(stride: stride)
        runs = RunSearch(stride: stride)
    }

    mutating func scan(
        _ bytes: [UInt8], _ part: Range<Int>, _ offset: Int, _ decoding: inout Decoding
    ) -> [SecretMatch] {
        // A search can reach back into the context.
        matchedEnds = matchedEnds.filter { $0 > part.lowerBound + offset - SecretScanner.contextBefore }
        let secrets = encodedSecrets(bytes, part, offset, &decoding)
        return secrets + connectionStrings(bytes, part.lowerBound, part.upperBound, offset)
            + clientSecrets(bytes, part, offset)
    }

    /// Returns the client secrets around the tildes in a range of bytes.
    private mutating func clientSecrets(_ bytes: [UInt8], _ part: Range<Int>, _ offset: Int) -> [SecretMatch] {
        var matches: [SecretMatch] = []
        let context = bytes[...]
        var next = part.lowerBound
        while let tilde = context.span.firstIndex(of: UInt8(ascii: "~"), from: next), tilde < part.upperBound {
            next = tilde + 1
            // Most tildes are not part of a secret.
            guard tilde >= stride, bytes[tilde - stride] == UInt8(ascii: "Q") else { continue }
            let text = text(bytes, around: tilde)
            guard let match = ClientSecretPattern.match(text, around: tilde / stride) else { continue }
            matches += accepted([match], text, offset)
        }
        return matches
    }

    /// Returns a view of the text around a byte offset.
    private func text(_ bytes: [UInt8], around position: Int) -> CodeUnits {
        CodeUnits(
            bytes, around: position, stride: stride, before: SecretScanner.contextBefore,
            after: SecretScanner.maximumCount)
    }

    /// Returns the matches of values that have no match yet, at their offsets in the input.
    private mutating func accepted(_ found: [SecretMatch], _ text: CodeUnits, _ offset: Int) -> [SecretMatch] {
        var accepted: [SecretMatch] = []
        var newEnds: Set<Int> = []
        for var match in found {
            let (start, end) = (match.range.lowerBound, match.range.upperBound)
            match.range = (text.byteOffset(of: start) + offset)..<(text.byteOffset(of: end) + offset)
            // A connection string and the run of its key have the same end, as do all secrets of compressed content.
            if matchedEnds.insert(match.range.upperBound).inserted {
                newEnds.insert(match.range.upperBound)
            } else if !match.isCompressed || !newEnds.contains(match.range.upperBound) {
                continue
            }
            if matched.last != match.range { matched.append(match.range) }
            accepted.append(match)
        }
        return accepted
    }

    /// Returns the matches for the words in a range of bytes that were not searched yet.
    private mutating func connectionStrings(
        _ bytes: [UInt8], _ start: Int, _ end: Int, _ offset: Int
    ) -> [SecretMatch] {
        var matches: [SecretMatch] = []
        let context = bytes[...]
        var start = max(start, wordEnd - offset)
        wordEnd = max(wordEnd, end + offset)
        while start < end, let position = words.first(in: context.span, start..<end) {
            start = position + 1
            matched.removeAll { $0.upperBound <= position + offset }
            if matched.contains(where: { $0.contains(position + offset) }) { continue }
            let text = text(bytes, around: position)
            let before = examined.map { text.index(atOrAfter: $0 - offset) }
            var after = before
            matches += accepted(
                ConnectionStringPattern.matches(text, around: position / stride, &after), text, offset)
            for level in after.indices where after[level] > before[level] {
                examined[level] = text.byteOffset(of: after[level]) + offset
            }
        }
        return matches
    }

    private mutating func encodedSecrets(
        _ bytes: [UInt8], _ part: Range<Int>, _ offset: Int, _ decoding: inout Decoding
    ) -> [SecretMatch] {
        var matches: [SecretMatch] = []
        let context = bytes[...]
        while true {
            let start = max(runEnd - offset, part.lowerBound)
            let floor = max(runEnd - offset, 0)
            guard start < part.upperBound,
                let run = runs.first(in: context.span, start..<part.upperBound, floor: floor)
            else { return matches }
            // The connection strings in the run have more properties than the keys in it.
            matches += connectionStrings(bytes, part.lowerBound, run.upperBound, offset)
            let text = text(bytes, around: run.lowerBound)
            let piece = (run.lowerBound / stride)..<(run.upperBound / stride)
            var unescaped = text.index(atOrAfter: unescapedEnd - offset)
            let encoded = EncodedRun(
                text, piece, isContinuation: continuation == run.lowerBound + offset, &decoding, &unescaped)
            unescapedEnd = max(unescapedEnd, text.byteOffset(of: unescaped) + offset)
            matches += accepted(encoded.secrets, text, offset)
            runEnd = text.byteOffset(of: encoded.end) + offset
            continuation = encoded.continues ? runEnd : nil
        }
    }
}

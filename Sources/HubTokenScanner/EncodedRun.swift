import HubText

/// The secrets in a long run of Base64 characters and escapes.
struct EncodedRun {
    /// The secrets, at their positions in the text.
    private(set) var secrets: [SecretMatch]
    /// The position up to which the run is examined. The rest belongs to the next run.
    private(set) var end: Int
    /// Whether the rest continues Base64 of text.
    private(set) var continues = false

    /// The number of code units that successive pieces of a long run share. It is a multiple of 4, so that pieces of Base64
    /// start with a group.
    fileprivate static let overlap = 4096

    /// Examines a run.
    ///
    /// - Parameters:
    ///   - isContinuation: Whether the run continues Base64 of text.
    ///   - decoding: The search in the text that the run encodes, as in Kubernetes secrets.
    ///   - unescapedEnd: The position up to which escapes were removed.
    init(
        _ text: CodeUnits, _ run: Range<Int>, isContinuation: Bool, _ decoding: inout Decoding,
        _ unescapedEnd: inout Int
    ) {
        end = run.count < RunSearch.maximumCount ? run.upperBound : run.upperBound - Self.overlap
        let hasEscapes = run.contains { !RunSearch.isBase64(text[$0]) }
        secrets = TokenPattern.matches(text, run, hasEscapes: hasEscapes)
        if secrets.isEmpty { secrets = ServiceKeyPattern.matches(text, run, hasEscapes: hasEscapes) }
        if secrets.isEmpty { secrets = KeyPattern.matches(text, run, hasEscapes: hasEscapes) }
        guard decoding.canDecode, secrets.allSatisfy({ $0.kind == .key || $0.kind == .serviceKey }) else { return }
        decoding.startPiece(run.count)
        // The rest of a key's connection string can have escapes.
        let unescaped = Self.unescaped(text, run, hasEscapes, &decoding, &unescapedEnd)
        let fingerprints = Set(unescaped.map(\.fingerprint))
        secrets = unescaped + secrets.filter { !fingerprints.contains($0.fingerprint) }
        let part = hasEscapes ? Self.longestPart(text, run) : run
        guard secrets.isEmpty, let encoded = EncodedText(text, part, isContinuation: isContinuation) else { return }
        decoding.startPiece(encoded.characterCount)
        let found = encoded.secrets(in: text, &decoding)
        end = max(end, encoded.keyPosition ?? encoded.nextStart)
        // A secret at the end of a truncated text may be cut off. If the next piece contains all of it, it is found there.
        let complete = encoded.isTruncated ? encoded.end - 3 : Int.max
        secrets = found.filter { $0.range.upperBound < complete || $0.range.lowerBound < end }
        continues = encoded.isTruncated
    }

    /// Returns the secrets in the text around a run without its escapes.
    private static func unescaped(
        _ text: CodeUnits, _ run: Range<Int>, _ hasEscapes: Bool, _ decoding: inout Decoding, _ examined: inout Int
    ) -> [SecretMatch] {
        guard run.upperBound > examined else { return [] }
        let unescaped = UnescapedText(text, around: run, hasEscapes: hasEscapes) { decoding.count($0) }
        examined = unescaped.end
        guard !unescaped.bytes.isEmpty else { return [] }
        return decoding.matches(in: unescaped.bytes).map { match in
            var match = match
            match.range = unescaped.range(match.range)
            return match
        }
    }

    /// Returns the longest part of a run without characters of escapes.
    private static func longestPart(_ text: CodeUnits, _ run: Range<Int>) -> Range<Int> {
        var longest = run.lowerBound..<run.lowerBound
        var start = run.lowerBound
        for position in run where !RunSearch.isBase64(text[position]) {
            if position - start > longest.count { longest = start..<position }
            start = position + 1
        }
        return run.upperBound - start > longest.count ? start..<run.upperBound : longest
    }
}

/// Text in Base64.
private struct EncodedText {
    private var bytes: [UInt8] = []
    /// The lines of the Base64 text: the number of preceding characters, and the position of the first one.
    private var lines: [(characterCount: Int, position: Int)] = []
    /// The end of the Base64 text.
    private(set) var end: Int
    private(set) var characterCount = 0
    /// Whether the text continues after its end.
    private(set) var isTruncated = false

    /// The length of the shortest text, in bytes: an unpadded key.
    private static let minimumCount = 43
    /// The number of characters that tell text from other data.
    private static let sampleCount = 16

    /// The first bytes of gzip, alone, in Base64 and in Base64 of Base64.
    private static let compressedStarts: [[UInt8]] = [[0x1f, 0x8b, 8], Array("H4sI".utf8), Array("SDRzS".utf8)]

    /// Decodes a run and the lines that continue it. Returns `nil` if it is not Base64 of text.
    init?(_ text: CodeUnits, _ run: Range<Int>, isContinuation: Bool) {
        end = run.lowerBound
        var sample = Base64.Decoder()
        append(text, upTo: run.lowerBound + min(run.count, Self.sampleCount), &sample)
        let isCompressed = !isContinuation && Self.compressedStarts.contains { bytes.starts(with: $0) }
        guard isContinuation || isCompressed || bytes.allSatisfy(Self.isText) else { return nil }
        bytes.removeAll()

        end = run.lowerBound
        // Compressed text cannot be searched in pieces.
        let limit = isCompressed ? text.endIndex : min(text.endIndex, run.lowerBound + RunSearch.maximumCount)
        var decoder = Base64.Decoder()
        var next = end
        repeat {
            lines.append((characterCount, next))
            end = next
            append(text, upTo: limit, &decoder)
            characterCount += end - next
            next = end
            if end < limit, text[end] == UInt8(ascii: "\n") || text[end] == UInt8(ascii: "\r") {
                while next < limit, text[next].isASCIIWhitespace { next += 1 }
            }
        } while next > end && next < limit && RunSearch.isBase64(text[next])
        guard bytes.count >= Self.minimumCount else { return nil }
        isTruncated = !isCompressed && next == limit && (limit < text.endIndex || text.isTruncated)
    }

    /// The position at which the search continues. Pieces of a long text overlap, and start with a group of four characters.
    var nextStart: Int {
        guard isTruncated else { return end }
        let index = characterCount - min(EncodedRun.overlap, characterCount / 2)
        let line = lines.last { $0.characterCount <= index } ?? lines[0]
        // Most of a line must follow, so that the next piece is found.
        return position(ofCharacter: line.characterCount > 0 ? (line.characterCount + 3) & ~3 : index & ~3)
    }

    /// The position of the last line if it can be a key that follows other text.
    var keyPosition: Int? {
        guard !isTruncated, lines.count > 1, let start = lines.last?.position,
            [AzureKey.Size.shared, .account].contains(where: { $0.characterCount == end - start })
        else { return nil }
        return start
    }

    /// Decodes the characters from `end` to a limit or to the first other character, and moves `end`.
    private mutating func append(_ text: CodeUnits, upTo limit: Int, _ decoder: inout Base64.Decoder) {
        while end < limit, let sextet = Base64.value(text[end]) {
            if let byte = decoder.append(Int32(sextet)) { bytes.append(byte) }
            end += 1
        }
    }

    /// Returns whether a byte occurs in ASCII or UTF-16 text.
    private static func isText(_ byte: UInt8) -> Bool {
        byte == 0 || byte.isASCIIWhitespace || (0x20..<0x7f).contains(byte)
    }

    /// Returns the secrets in the decoded text, at the positions of their Base64.
    func secrets(in text: CodeUnits, _ decoding: inout Decoding) -> [SecretMatch] {
        decoding.count(bytes.count)
        if let key = AzureKey(bytes.trimmed), let match = KeyPattern.match(text, lines[0].position..<end, key) {
            return [match]
        }
        return decoding.matches(in: bytes).map { match in
            var match = match
            // Four characters encode three bytes.
            let start = position(ofCharacter: match.range.lowerBound * 4 / 3)
            let last = position(ofCharacter: (match.range.upperBound * 4 + 2) / 3 - 1)
            match.range = start..<(max(start, last) + 1)
            return match
        }
    }

    /// Returns the position of a Base64 character.
    private func position(ofCharacter index: Int) -> Int {
        let line = lines.last { $0.characterCount <= index } ?? lines[0]
        return min(line.position + index - line.characterCount, end - 1)
    }
}

/// The search in encoded text, through at most three layers of encoding in any combination.
///
/// Each step yields text that is not longer than its source, except decompression. The output of all decompression in a piece of
/// the input is limited to a multiple of the piece, so the search takes linear time.
struct Decoding {
    private static let maximumDepth = 3
    /// The largest ratio of decompressed bytes to encoded bytes.
    private static let maximumExpansion = 64

    private let decompress: SecretScanner.Decompressor?
    /// The number of layers that are removed.
    private var depth = 0
    /// The number of bytes that decompression can still yield in this piece of the input.
    private var remaining = 0
    /// The number of bytes that were searched or decoded.
    private(set) var work = 0

    init(_ decompress: SecretScanner.Decompressor?) {
        self.decompress = decompress
    }

    /// Whether another layer can be removed.
    var canDecode: Bool { depth < Self.maximumDepth }

    /// Counts bytes that a step inspects.
    mutating func count(_ bytes: Int) { work += bytes }

    /// Starts a piece of text with a number of code units.
    mutating func startPiece(_ count: Int) {
        if depth == 0 { remaining = Self.maximumExpansion * count }
    }

    /// Returns the secrets in text from which a layer was removed.
    mutating func matches(in bytes: [UInt8]) -> [SecretMatch] {
        guard canDecode else { return [] }
        depth += 1
        defer { depth -= 1 }
        var scanner = SecretScanner(self)
        var matches = scanner.scan(bytes, bytes.indices, offset: 0)
        work = scanner.decoding.work
        remaining = scanner.decoding.remaining
        guard canDecode, let decompress, bytes.starts(with: [0x1f, 0x8b, 8]) else { return matches }
        let content = decompress(bytes, remaining)
        remaining -= content.count
        // The compressed bytes have no position for each decompressed byte, so equal secrets are one.
        var fingerprints: Set<String> = []
        matches += self.matches(in: content).filter { fingerprints.insert($0.fingerprint).inserted }.map { match in
            var match = match
            (match.range, match.isCompressed) = (bytes.indices, true)
            return match
        }
        return matches
    }
}

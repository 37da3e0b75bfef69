import HubText

/// The secrets in a long run of Base64 characters and escapes.
struct EncodedRun {
    /// The secrets, at their positions in the text.
    private(set) var secrets: [SecretMatch]
    /// The position up to which the run is examined. The rest belongs to the next run.
    private(set) var end: Int

    /// The number of code units that successive pieces of a long run share. It is a multiple of 4, so that pieces of Base64
    /// start with a group.
    private static let overlap = 4096

    /// Examines a run.
    ///
    /// - Parameter decodesBase64: Whether to search the text that the run encodes, as in Kubernetes secrets.
    init(_ text: CodeUnits, _ run: Range<Int>, decodesBase64: Bool) {
        end = run.count < RunSearch.maximumCount ? run.upperBound : run.upperBound - Self.overlap
        secrets = TokenPattern.matches(text, run)
        if secrets.isEmpty { secrets = KeyPattern.matches(text, run) }
        guard decodesBase64, secrets.isEmpty, let encoded = EncodedText(text, run) else { return }
        secrets = encoded.secrets(in: text)
        end = max(end, encoded.end)
    }
}

/// Text in Base64.
private struct EncodedText {
    private var bytes: [UInt8] = []
    /// The position of the first character of each three bytes.
    private var positions: [Int] = []
    /// The end of the Base64 text.
    private(set) var end: Int

    /// The length of the shortest text, in bytes: an unpadded key.
    private static let minimumCount = 43
    /// The number of decoded bytes that tell text from other data.
    private static let sampleCount = 12

    /// Decodes a run and the lines that continue it. Returns `nil` if it is not Base64 of text.
    init?(_ text: CodeUnits, _ run: Range<Int>) {
        let run = Self.longestPart(text, run)
        end = run.lowerBound
        var group: [UInt8] = []
        var start = end
        while let character = Self.character(text, &end, run) {
            if group.isEmpty { start = end - 1 }
            group.append(character)
            guard group.count == 4 else { continue }
            guard append(group, start) else { return nil }
            group.removeAll(keepingCapacity: true)
        }
        if group.count > 1 { _ = append(group, start) }
        guard bytes.count >= Self.minimumCount else { return nil }
    }

    /// Returns the longest part of a run without characters of escapes.
    private static func longestPart(_ text: CodeUnits, _ run: Range<Int>) -> Range<Int> {
        var longest = run.lowerBound..<run.lowerBound
        var start = run.lowerBound
        for position in run where !Base64.isCharacter(text[position]) {
            if position - start > longest.count { longest = start..<position }
            start = position + 1
        }
        return run.upperBound - start > longest.count ? start..<run.upperBound : longest
    }

    /// Returns the next character, and skips a line break and indentation before it; `nil` at the end.
    private static func character(_ text: CodeUnits, _ position: inout Int, _ run: Range<Int>) -> UInt8? {
        let limit = min(text.endIndex, run.lowerBound + RunSearch.maximumCount)
        var next = position
        if next < limit, next >= run.upperBound, text[next] == UInt8(ascii: "\n") || text[next] == UInt8(ascii: "\r") {
            while next < limit, text[next].isASCIIWhitespace { next += 1 }
        }
        guard next < limit, Base64.isCharacter(text[next]) else { return nil }
        position = next + 1
        return text[next]
    }

    /// Appends the bytes of a group of Base64 characters. Returns `false` if they are not text.
    private mutating func append(_ group: [UInt8], _ start: Int) -> Bool {
        guard let decoded = Base64.decodeLenient(group) else { return false }
        positions.append(start)
        bytes += decoded
        return bytes.count > Self.sampleCount || decoded.allSatisfy(Self.isText)
    }

    /// Returns whether a byte occurs in ASCII, UTF-16 or compressed text at its start.
    private static func isText(_ byte: UInt8) -> Bool {
        byte == 0 || byte.isASCIIWhitespace || (0x20..<0x7f).contains(byte)
    }

    /// Returns the secrets in the decoded text, at the positions of their Base64.
    func secrets(in text: CodeUnits) -> [SecretMatch] {
        let position = { (offset: Int) in offset / 3 < positions.count ? positions[offset / 3] : end }
        if let key = AzureKey(bytes.trimmed), let match = KeyPattern.match(text, positions[0]..<end, key) {
            return [match]
        }
        return SecretScanner.matches(inDecoded: bytes).map { match in
            var match = match
            match.range =
                position(
                    match.range.lowerBound)..<max(
                    position(match.range.upperBound + 2), 1 + position(match.range.lowerBound))
            return match
        }
    }
}

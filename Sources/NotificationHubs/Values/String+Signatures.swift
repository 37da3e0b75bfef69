import HubText

extension String {
    /// The text without secrets of URLs: the values of the parameter `sig`, and those of `$filter`, which can be handles.
    var withoutSignatures: String {
        let isEnd = { (byte: UInt8) in byte.isASCIIWhitespace || "&;,\"'<>)]".utf8.contains(byte) }
        let isEndOfFilter = { (byte: UInt8) in "&\"<>\r\n".utf8.contains(byte) }
        return [("sig=", isEnd), ("sig%3d", isEnd), ("filter=", isEndOfFilter), ("filter%3d", isEndOfFilter)]
            .reduce(Array(utf8)) { $0.redacting($1.0, until: $1.1) }.lossyText
    }
}

extension [UInt8] {
    /// Returns the text with the values of a parameter redacted.
    ///
    /// - Parameters:
    ///   - start: The parameter's name and the equals sign, which can be percent-encoded.
    ///   - isEnd: Whether a byte ends a value.
    fileprivate func redacting(_ start: String, until isEnd: (UInt8) -> Bool) -> Self {
        var (result, rest): (Self, ArraySlice) = ([], self[...])
        while let position = rest.firstIndex(ignoringCase: start) {
            let before = self[..<position]
            let isParameter =
                before.last?.isASCIILetterOrDigit != true || before.dropLast(2).last == UInt8(ascii: "%")
            let end = position + start.utf8.count
            result += rest[..<end]
            rest = rest[end...]
            guard isParameter else { continue }
            let value = rest.prefix { !isEnd($0) }
            if !value.isEmpty { result += "(redacted)".utf8 }
            rest = rest[value.endIndex...]
        }
        return result + rest
    }
}

import HubText

extension String {
    /// The text with the signatures of URLs redacted: the values of the parameter `sig`.
    var withoutSignatures: String {
        var (result, rest): ([UInt8], ArraySlice<UInt8>) = ([], Array(utf8)[...])
        while let position = rest.firstIndex(ignoringCase: "sig=") {
            let isParameter = !(rest[..<position].last?.isASCIILetterOrDigit ?? false)
            let end = position + "sig=".utf8.count
            result += rest[..<end]
            rest = rest[end...]
            guard isParameter else { continue }
            let value = rest.prefix { !$0.isASCIIWhitespace && !"&;,\"'<>)]".utf8.contains($0) }
            if !value.isEmpty { result += Array("(redacted)".utf8) }
            rest = rest[value.endIndex...]
        }
        return (result + rest).lossyText
    }
}

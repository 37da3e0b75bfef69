import HubText

/// What a text looks like that is no token of this kind.
struct OtherCredential {
    /// What it looks like, in words that repeat nothing of it; empty if that is not known.
    let text: String

    /// `nil` if a text without the scheme's word is still to be seen as a token.
    init?(_ bytes: [UInt8], hasFields: Bool) {
        if Self.hasField("sv=", bytes), Self.hasField("sig=", bytes), !Self.hasField("skn=", bytes) {
            text = "it looks like a shared access signature of Azure Storage, which is another thing"
        } else if hasFields {
            return nil
        } else if bytes.firstIndex(ignoringCase: "SharedAccessKey=") != nil || bytes.starts(ignoringCase: "Endpoint=") {
            text = "it looks like a connection string: sas sign makes tokens by it"
        } else if Self.isJWT(bytes) {
            text = "it looks like a JSON Web Token, as of Entra ID: that goes behind the word Bearer"
        } else if bytes.count < 128, let key = Base64.decodeLenient(bytes), key.count >= 32 {
            text = "it looks like a key: sas sign makes tokens by it"
        } else {
            text = ""
        }
    }

    private static func hasField(_ name: String, _ bytes: [UInt8]) -> Bool {
        guard let index = bytes.firstIndex(ignoringCase: name) else { return false }
        return index == 0 || "?&".utf8.contains(bytes[index - 1])
    }

    private static func isJWT(_ bytes: [UInt8]) -> Bool {
        let parts = bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        return parts.count == 3 && bytes.starts(with: "eyJ".utf8)
            && parts.allSatisfy { Base64.decodeLenient($0) != nil }
    }
}

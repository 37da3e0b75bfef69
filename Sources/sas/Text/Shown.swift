/// What a text may show of itself.
///
/// People put a key or a signature where a name belongs. So whatever has 32 bytes of base64 in it, or the name of a field
/// that holds a secret, is not shown.
enum Shown {
    /// The text, if it can hold no secret.
    static func text(_ bytes: some Collection<UInt8>) -> String {
        holdsSecret(bytes) ? "(not shown: a key or a signature may be in it)" : bytes.text
    }

    /// Whether a text, or what it is the percent-encoding of, may hold a secret.
    static func holdsSecret(_ text: some Collection<UInt8>) -> Bool {
        var reading = Array(text)
        for _ in 0..<4 {
            if hasLongBase64(reading) || hasSecretField(reading) { return true }
            let decoded = PercentDecoded(reading, readsPlusAsSpace: false)
            if decoded.escapeCount == 0 { return false }
            reading = decoded.bytes
        }
        return true
    }

    /// 43 characters of base64 and their padding, as 32 bytes have.
    private static func hasLongBase64(_ text: [UInt8]) -> Bool {
        var length = 0
        for byte in text {
            if byte == UInt8(ascii: "="), length >= 43 { return true }
            length = Base64.sextet(byte) == nil ? 0 : length + 1
        }
        return false
    }

    private static func hasSecretField(_ text: [UInt8]) -> Bool {
        text.firstIndex(ofText: "sig=") != nil || text.firstIndex(ofText: "sharedaccesskey=") != nil
    }
}

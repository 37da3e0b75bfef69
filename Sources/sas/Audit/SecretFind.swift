import HubCrypto
import SharedAccessSignature

/// A secret that was found, without the secret.
struct SecretFind: Hashable {
    /// What it is. The names are part of `--json`.
    enum Kind: String {
        case token, connectionString, key
    }

    let kind: Kind
    /// Where it begins, in bytes from the start of what was searched.
    let offset: Int
    /// What a token is for, or a connection string's host.
    let place: String?
    let keyName: String?
    /// When a token ends, in seconds since 1970 UTC.
    let expiry: Int64?
    /// The same for the same key, or for the same token: 16 hexadecimal digits.
    let fingerprint: String

    /// What names a key without showing it.
    static func fingerprint(ofKey key: [UInt8]) -> String {
        SharedAccessKey(name: "", secret: key.text).fingerprint
    }

    /// What names a signature, a text of 43 characters of base64 without its padding: whatever alphabet it was found in.
    static func fingerprint(ofSignature text: [UInt8]) -> String {
        let standard = text.map { byte in
            switch byte {
            case UInt8(ascii: "-"): UInt8(ascii: "+")
            case UInt8(ascii: "_"): UInt8(ascii: "/")
            default: byte
            }
        }
        return String(SHA256.hash(data: standard + [UInt8(ascii: "=")]).description.prefix(16))
    }
}

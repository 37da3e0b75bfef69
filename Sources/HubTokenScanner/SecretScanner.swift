import HubCrypto
import HubText
import SharedAccessSignature

/// Finds tokens, connection strings and keys in any bytes, without I/O.
///
/// Large inputs can be searched part by part, in order, if each part is passed with ``contextBefore`` and ``contextAfter``
/// bytes around it.
package struct SecretScanner {
    /// The number of bytes that must precede and follow a part, unless the input starts or ends there.
    package static let contextBefore = 2 * ConnectionStringPattern.longestStart
    package static let contextAfter = 32_768

    private let searches = [AnchorSearch(stride: 1), AnchorSearch(stride: 2)]
    /// The progress of each search.
    private var progress = [Progress(), Progress()]

    package init() {}

    /// Offsets in the input before which a search need not look again.
    private struct Progress {
        /// The end of the last find.
        var found = 0
        /// The end of what was examined for connection strings, for each level of percent-encoding.
        var examined = [0, 0, 0]
    }

    /// The secrets in some bytes, in order.
    package static func finds(in bytes: [UInt8]) -> [SecretFind] {
        var scanner = SecretScanner()
        return scanner.scan(bytes, bytes.indices, offset: 0)
    }

    /// The secrets in a part of the input.
    ///
    /// - Parameters:
    ///   - bytes: The part with the bytes around it.
    ///   - part: The range in which a secret's anchor word may start.
    ///   - offset: The offset of `bytes` in the input.
    package mutating func scan(_ bytes: [UInt8], _ part: Range<Int>, offset: Int) -> [SecretFind] {
        var finds: [SecretFind] = []
        for index in searches.indices {
            var rest = part
            while let position = searches[index].first(in: bytes, rest) {
                rest = (position + 1)..<part.upperBound
                if position + offset < progress[index].found { continue }
                let letters = Letters(
                    bytes, around: position, stride: searches[index].stride, before: Self.contextBefore,
                    after: Self.contextAfter / 2)
                finds += Self.finds(in: letters, position / searches[index].stride, offset, &progress[index])
            }
        }
        return finds.sorted { $0.offset < $1.offset }
    }

    /// The secrets that start at an anchor word, or contain it.
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

/// A secret that was found, without the secret.
package struct SecretFind: Hashable {
    /// The kind of secret. The names are part of the JSON output of `sas audit`.
    package enum Kind: String {
        case token, connectionString, key
    }

    package let kind: Kind
    /// Where the secret starts, in bytes from the start of the input.
    package let offset: Int
    /// A token's resource, or a connection string's host.
    package let place: String?
    package let keyName: String?
    /// A token's expiry, in seconds since 1970 UTC.
    package let expiry: Int64?
    /// Equal for equal keys, or for equal tokens: 16 hexadecimal digits.
    package let fingerprint: String

    /// Identifies a key without showing it.
    package static func fingerprint(ofKey key: [UInt8]) -> String {
        SharedAccessKey(name: "", secret: key.lossyText).fingerprint
    }

    /// Identifies a signature, given as 43 characters of unpadded Base64 in either alphabet.
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

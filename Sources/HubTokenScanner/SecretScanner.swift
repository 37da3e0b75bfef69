import HubCrypto
import HubText
import SharedAccessSignature

/// A scanner that finds tokens, connection strings and keys in bytes.
///
/// To search a large input, scan its parts in order. Pass each part with the ``contextBefore`` bytes that precede it and the
/// ``contextAfter`` bytes that follow it.
package struct SecretScanner {
    /// The number of bytes that must precede a part, unless the input starts there.
    package static let contextBefore = 2 * ConnectionStringPattern.maximumAnchorDistance
    /// The number of bytes that must follow a part, unless the input ends there.
    package static let contextAfter = 32_768

    private let searches = [AnchorSearch(stride: 1), AnchorSearch(stride: 2)]
    /// The progress of each search.
    private var progress = [Progress(), Progress()]

    /// Creates a scanner at the start of an input.
    package init() {}

    /// The input offsets up to which a search has finished.
    private struct Progress {
        /// The end of the last match.
        var matched = 0
        /// The end of the search for connection strings, for each level of percent-encoding.
        var examined = [0, 0, 0]
    }

    /// Returns the secrets in a complete input, in order.
    package static func matches(in bytes: [UInt8]) -> [SecretMatch] {
        var scanner = SecretScanner()
        return scanner.scan(bytes, bytes.indices, offset: 0)
    }

    /// Returns the secrets in a part of the input, in order.
    ///
    /// - Parameters:
    ///   - bytes: The part and its context.
    ///   - part: The range of `bytes` in which a secret's anchor word may start.
    ///   - offset: The offset of `bytes` in the input.
    package mutating func scan(_ bytes: [UInt8], _ part: Range<Int>, offset: Int) -> [SecretMatch] {
        var matches: [SecretMatch] = []
        for index in searches.indices {
            var rest = part
            while let position = searches[index].first(in: bytes, rest) {
                rest = (position + 1)..<part.upperBound
                if position + offset < progress[index].matched { continue }
                let text = CodeUnits(
                    bytes, around: position, stride: searches[index].stride, before: Self.contextBefore,
                    after: Self.contextAfter / 2)
                matches += Self.matches(in: text, position / searches[index].stride, offset, &progress[index])
            }
        }
        return matches.sorted { $0.offset < $1.offset }
    }

    /// Returns the secrets that start at or contain the anchor word at a position.
    private static func matches(
        in text: CodeUnits, _ position: Int, _ offset: Int, _ progress: inout Progress
    ) -> [SecretMatch] {
        if let token = TokenPattern.match(text, at: position) {
            progress.matched = text.byteOffset(of: token.end) + offset
            let match = SecretMatch(
                kind: .token, offset: text.byteOffset(of: position) + offset, resource: token.resource,
                keyName: token.keyName, expiry: token.expiry, fingerprint: token.fingerprint)
            return [match]
        }
        let before = progress.examined.map { text.index(atOrAfter: max($0, progress.matched) - offset) }
        var examined = before
        let matches = ConnectionStringPattern.matches(text, around: position, &examined)
        for level in examined.indices where examined[level] > before[level] {
            progress.examined[level] = text.byteOffset(of: examined[level]) + offset
        }
        return matches.map { match in
            progress.matched = max(progress.matched, text.byteOffset(of: match.end) + offset)
            return SecretMatch(
                kind: match.host == nil ? .key : .connectionString, offset: text.byteOffset(of: match.start) + offset,
                resource: match.host, keyName: match.keyName, expiry: nil, fingerprint: match.fingerprint)
        }
    }
}

/// The position and properties of a found secret, without the secret itself.
package struct SecretMatch: Hashable {
    /// A kind of secret. The raw values are part of the JSON output of `sas audit`.
    package enum Kind: String {
        case token, connectionString, key
    }

    package let kind: Kind
    /// The offset of the secret's first byte in the input.
    package let offset: Int
    /// The token's resource or the connection string's host.
    package let resource: String?
    package let keyName: String?
    /// The token's expiry, in seconds since 1970 UTC.
    package let expiry: Int64?
    /// A string of 16 hexadecimal digits that is equal for equal keys or equal signatures.
    package let fingerprint: String

    /// Returns an identifier of a key that does not reveal it.
    package static func fingerprint(ofKey key: [UInt8]) -> String {
        SharedAccessKey(name: "", secret: key.lossyText).fingerprint
    }

    /// Returns an identifier of a signature, given as 43 characters of unpadded Base64 in either alphabet.
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

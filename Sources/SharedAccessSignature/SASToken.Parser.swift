import HubCrypto

extension SASToken {
    /// Reads the text of an `Authorization` header.
    ///
    /// The scheme word and the fields' names may be in any case, the fields in any order; each must be there once, its
    /// escapes whole, the signature 32 bytes of canonical base64, its `+`, `/` and `=` escaped or not.
    ///
    /// - Throws: ``ParseError``, which says where, and never holds a signature.
    public init(_ text: String) throws(ParseError) {
        let bytes = Array(text.utf8)
        guard bytes.count <= Self.maximumByteCount else {
            throw ParseError(.tooLong, offset: Self.maximumByteCount)
        }
        let scheme = Array("sharedaccesssignature".utf8)
        guard bytes.prefix(scheme.count).map(\.asciiLowercased) == scheme, bytes.count > scheme.count,
            bytes[scheme.count] == UInt8(ascii: " ")
        else {
            throw ParseError(.noScheme, offset: 0)
        }
        let fieldsStart = bytes[scheme.count...].firstIndex { $0 != UInt8(ascii: " ") } ?? bytes.count

        var ranges: [FieldName: Range<Int>] = [:]
        for field in bytes[fieldsStart...].split(separator: UInt8(ascii: "&"), omittingEmptySubsequences: false) {
            let name = field.prefix { $0 != UInt8(ascii: "=") }
            guard let known = FieldName(rawValue: String(decoding: name.map(\.asciiLowercased), as: UTF8.self)) else {
                throw ParseError(.unknownField, offset: field.startIndex)
            }
            guard ranges[known] == nil else {
                throw ParseError(.duplicateField(known), offset: field.startIndex)
            }
            let value = field[name.endIndex...].dropFirst()
            guard !value.isEmpty, value.allSatisfy({ $0 > 0x20 && $0 < 0x7f }),
                (try? PercentEncoding.decode(value)) != nil
            else {
                throw ParseError(.malformedField(known), offset: field.startIndex)
            }
            ranges[known] = value.indices
        }
        func range(_ name: FieldName) throws(ParseError) -> Range<Int> {
            guard let range = ranges[name] else { throw ParseError(.missingField(name), offset: bytes.count) }
            return range
        }

        headerValue = text
        rawResource = try range(.resource)
        rawExpiry = try range(.expiry)
        rawKeyName = try range(.keyName)
        let rawSignature = try range(.signature)

        guard bytes[rawExpiry].allSatisfy(\.isASCIIDigit),
            let expiry = Int64(String(decoding: bytes[rawExpiry], as: UTF8.self))
        else {
            throw ParseError(.malformedField(.expiry), offset: rawExpiry.lowerBound)
        }
        self.expiry = expiry

        guard let base64 = try? PercentEncoding.decode(bytes[rawSignature]), let bytes = Base64.decode(base64),
            let signature = HMAC.AuthenticationCode(bytes)
        else {
            throw ParseError(.malformedField(.signature), offset: rawSignature.lowerBound)
        }
        self.signature = signature
    }

    /// The length in bytes beyond which a text is refused unread.
    static let maximumByteCount = 8192

    /// A field's name.
    enum FieldName: String {
        case resource = "sr"
        case signature = "sig"
        case expiry = "se"
        case keyName = "skn"
    }

    /// Why a text is no token.
    public struct ParseError: Error, Hashable, CustomStringConvertible {
        enum Reason: Hashable {
            case tooLong
            case noScheme
            case unknownField
            case duplicateField(FieldName)
            case missingField(FieldName)
            case malformedField(FieldName)
        }

        let reason: Reason
        /// Where, in UTF-8 bytes from the text's start.
        public let offset: Int

        init(_ reason: Reason, offset: Int) {
            self.reason = reason
            self.offset = offset
        }

        /// What is wrong, where, and how to mend it, in one line.
        public var description: String {
            switch reason {
            case .tooLong: "the token is longer than \(SASToken.maximumByteCount) bytes"
            case .noScheme: "the token does not begin with \"SharedAccessSignature \""
            case .unknownField: "the token has an unknown field at byte \(offset): known are sr, sig, se and skn"
            case .duplicateField(let name): "the token has a second \(name.rawValue) at byte \(offset)"
            case .missingField(let name): "the token has no \(name.rawValue)"
            case .malformedField(.expiry): "the token's se at byte \(offset) is no decimal number of seconds since 1970"
            case .malformedField(.signature):
                "the token's sig at byte \(offset) is no base64 text of 32 bytes, percent-encoded"
            case .malformedField(let name):
                "the token's \(name.rawValue) at byte \(offset) is empty or badly percent-encoded"
            }
        }
    }
}

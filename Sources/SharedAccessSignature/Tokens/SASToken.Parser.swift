import HubCrypto
import HubText

extension SASToken {
    /// Parses the value of an `Authorization` header.
    ///
    /// The scheme word and the field names can be in any case, and the fields in any order. Each field must appear
    /// once, not be empty, and contain only valid escapes. The signature must be 32 bytes in canonical Base64, with or
    /// without escapes. Parsing allocates no memory, except on Apple's systems before version 26.
    ///
    /// - Throws: ``SASTokenError`` with the offset in the text.
    public init(_ text: String) throws(SASTokenError) {
        let parts = try text.withBytes { (bytes) throws(SASTokenError) in try Parts(bytes) }
        headerValue = text
        (rawResource, rawExpiry, rawKeyName) = (parts.fields.resource, parts.fields.expiry, parts.fields.keyName)
        (expiry, signature) = (parts.expiry, parts.signature)
    }

    /// The maximum length of a token in bytes.
    package static let maximumByteCount = 8192

    /// The parsed parts of a token.
    private struct Parts {
        let fields: Fields
        let expiry: Int64
        let signature: HMAC.AuthenticationCode

        init(_ text: Span<UInt8>) throws(SASTokenError) {
            fields = try Fields(text)
            guard let expiry = Self.number(text.extracting(fields.expiry)) else {
                throw SASTokenError(.invalidField, .expiry, offset: fields.expiry.lowerBound)
            }
            guard let signature = SignatureText.read(text, fields.signature) else {
                throw SASTokenError(.invalidField, .signature, offset: fields.signature.lowerBound)
            }
            (self.expiry, self.signature) = (expiry, signature)
        }

        /// Parses decimal digits; `nil` for other characters or on overflow.
        private static func number(_ digits: Span<UInt8>) -> Int64? {
            var number: UInt64 = 0
            for index in digits.indices {
                let digit = UInt64(digits[index] &- UInt8(ascii: "0"))
                // The largest number with room for another digit.
                guard digit < 10, number <= UInt64(Int64.max) / 10 else { return nil }
                number = number &* 10 &+ digit
            }
            return Int64(exactly: number)
        }
    }

    /// The ranges of a token's values, which are not empty.
    private struct Fields {
        private(set) var resource = 0..<0
        private(set) var signature = 0..<0
        private(set) var expiry = 0..<0
        private(set) var keyName = 0..<0

        /// Splits a token into its fields and checks their characters.
        init(_ text: Span<UInt8>) throws(SASTokenError) {
            guard text.count <= SASToken.maximumByteCount else {
                throw SASTokenError(.tooLong, offset: SASToken.maximumByteCount)
            }
            var start = try Self.skipScheme(text)
            // One pass is faster than one for each value.
            let isValid = text.isVisibleAndEscaped(from: start)
            while true {
                let end = text.firstIndex(of: UInt8(ascii: "&"), from: start) ?? text.count
                guard let (name, valueStart) = Self.name(text, start..<end) else {
                    throw SASTokenError(.unknownField, offset: start)
                }
                guard self[name].isEmpty else { throw SASTokenError(.duplicateField, name, offset: start) }
                let value = valueStart..<end
                if !isValid, let offset = text.firstInvalidIndex(in: value) {
                    throw SASTokenError(.invalidField, name, offset: offset)
                }
                guard !value.isEmpty else { throw SASTokenError(.invalidField, name, offset: end) }
                self[name] = value
                if end == text.count { break }
                start = end + 1
            }
            for name in [FieldName.resource, .expiry, .keyName, .signature] where self[name].isEmpty {
                throw SASTokenError(.missingField, name, offset: text.count)
            }
        }

        private subscript(name: FieldName) -> Range<Int> {
            get {
                switch name {
                case .resource: resource
                case .signature: signature
                case .expiry: expiry
                case .keyName: keyName
                }
            }
            set {
                switch name {
                case .resource: resource = newValue
                case .signature: signature = newValue
                case .expiry: expiry = newValue
                case .keyName: keyName = newValue
                }
            }
        }

        private static let scheme = ContiguousArray("sharedaccesssignature".utf8)

        /// Skips the scheme word and the spaces after it.
        ///
        /// - Returns: The start of the fields.
        private static func skipScheme(_ text: Span<UInt8>) throws(SASTokenError) -> Int {
            let scheme = scheme.span
            guard text.count > scheme.count, text[scheme.count] == UInt8(ascii: " ") else {
                throw SASTokenError(.invalidScheme, offset: 0)
            }
            // The bit 0x20 makes letters lower case.
            var difference: UInt8 = 0
            for index in scheme.indices { difference |= text[index] | 0x20 ^ scheme[index] }
            guard difference == 0 else { throw SASTokenError(.invalidScheme, offset: 0) }
            var start = scheme.count + 1
            while start < text.count, text[start] == UInt8(ascii: " ") { start += 1 }
            return start
        }

        /// Parses the name of a field.
        ///
        /// - Returns: The name and the start of the value, after the equals sign; `nil` for an unknown name.
        private static func name(_ text: Span<UInt8>, _ field: Range<Int>) -> (FieldName, valueStart: Int)? {
            let count = field.count > 2 && text[field.lowerBound + 2] != UInt8(ascii: "=") ? 3 : 2
            guard field.count >= count, let name = FieldName(text, field.prefix(count)) else { return nil }
            let end = field.lowerBound + count
            if end == field.upperBound { return (name, end) }
            return text[end] == UInt8(ascii: "=") ? (name, end + 1) : nil
        }
    }

    /// A field's name.
    fileprivate enum FieldName: String {
        case resource = "sr"
        case signature = "sig"
        case expiry = "se"
        case keyName = "skn"

        /// Creates a name from two or three letters, in any case; `nil` for an unknown name.
        init?(_ text: Span<UInt8>, _ letters: Range<Int>) {
            guard text[letters.lowerBound].asciiLowercased == UInt8(ascii: "s") else { return nil }
            let second = text[letters.lowerBound + 1].asciiLowercased
            let third = letters.count == 3 ? text[letters.lowerBound + 2].asciiLowercased : nil
            switch (second, third) {
            case (UInt8(ascii: "r"), nil): self = .resource
            case (UInt8(ascii: "i"), UInt8(ascii: "g")): self = .signature
            case (UInt8(ascii: "e"), nil): self = .expiry
            case (UInt8(ascii: "k"), UInt8(ascii: "n")): self = .keyName
            default: return nil
            }
        }
    }
}

extension SASTokenError {
    fileprivate init(_ code: Code, _ field: SASToken.FieldName, offset: Int) {
        self.init(code, field: field.rawValue, offset: offset)
    }
}

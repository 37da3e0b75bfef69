import HubCrypto
import HubText

extension SASToken {
    /// Reads the text of an `Authorization` header. Nothing is allocated.
    ///
    /// The scheme word and the fields' names may be in any case, the fields in any order; each must be there once, its
    /// escapes whole, the signature 32 bytes of canonical base64, its `+`, `/` and `=` escaped or not.
    ///
    /// - Throws: ``SASTokenError``, with the place in the text.
    public init(_ text: String) throws(SASTokenError) {
        self = try text.withBytes { (bytes) throws(SASTokenError) in
            var fields = Fields()
            try fields.read(bytes)
            return try SASToken(text, bytes, fields)
        }
    }

    private init(_ text: String, _ bytes: Span<UInt8>, _ fields: Fields) throws(SASTokenError) {
        headerValue = text
        rawResource = try fields.range(.resource)
        rawExpiry = try fields.range(.expiry)
        rawKeyName = try fields.range(.keyName)
        let rawSignature = try fields.range(.signature)

        guard let expiry = Self.number(bytes, rawExpiry) else {
            throw SASTokenError(.invalidField, FieldName.expiry, offset: rawExpiry.lowerBound)
        }
        guard let signature = SignatureText.read(bytes, rawSignature) else {
            throw SASTokenError(.invalidField, FieldName.signature, offset: rawSignature.lowerBound)
        }
        self.expiry = expiry
        self.signature = signature
    }

    /// The length in bytes beyond which a text is refused unread.
    static let maximumByteCount = 8192

    /// A number of decimal digits alone.
    private static func number(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Int64? {
        var number: Int64 = 0
        for index in range {
            guard bytes[index].isASCIIDigit else { return nil }
            let (product, overflow) = number.multipliedReportingOverflow(by: 10)
            let (sum, carry) = product.addingReportingOverflow(Int64(bytes[index] - UInt8(ascii: "0")))
            if overflow || carry { return nil }
            number = sum
        }
        return number
    }
}

extension SASToken {
    /// Where a token's fields are.
    private struct Fields {
        private var resource: Range<Int>?
        private var signature: Range<Int>?
        private var expiry: Range<Int>?
        private var keyName: Range<Int>?
        private var end = 0

        mutating func read(_ text: Span<UInt8>) throws(SASTokenError) {
            end = text.count
            guard end <= SASToken.maximumByteCount else {
                throw SASTokenError(.tooLong, offset: SASToken.maximumByteCount)
            }
            var position = try Self.skipScheme(text)
            while true {
                guard let (name, start) = Self.name(text, at: position) else {
                    throw SASTokenError(.unknownField, offset: position)
                }
                guard self[name] == nil else { throw SASTokenError(.duplicateField, name, offset: position) }
                let (fieldEnd, isWhole) = Self.endOfValue(text, from: start)
                guard isWhole, fieldEnd > start else { throw SASTokenError(.invalidField, name, offset: fieldEnd) }
                self[name] = start..<fieldEnd
                if fieldEnd == end { return }
                position = fieldEnd + 1
            }
        }

        func range(_ name: FieldName) throws(SASTokenError) -> Range<Int> {
            guard let range = self[name] else { throw SASTokenError(.missingField, name, offset: end) }
            return range
        }

        private subscript(name: FieldName) -> Range<Int>? {
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

        private static let scheme = Array("sharedaccesssignature ".utf8)

        /// - Returns: where the fields begin.
        private static func skipScheme(_ text: Span<UInt8>) throws(SASTokenError) -> Int {
            let scheme = Self.scheme.span
            guard text.count >= scheme.count else { throw SASTokenError(.invalidScheme, offset: 0) }
            for index in scheme.indices where text[index].asciiLowercased != scheme[index] {
                throw SASTokenError(.invalidScheme, offset: 0)
            }
            var position = scheme.count
            while position < text.count, text[position] == UInt8(ascii: " ") { position += 1 }
            return position
        }

        /// The name at a field's beginning, and where its value begins: after the equals sign, if present.
        private static func name(_ text: Span<UInt8>, at start: Int) -> (FieldName, valueStart: Int)? {
            var letters: UInt64 = 1
            var position = start
            while position < text.count, position < start + 4, text[position] != UInt8(ascii: "="),
                text[position] != UInt8(ascii: "&")
            {
                letters = letters << 8 | UInt64(text[position].asciiLowercased)
                position += 1
            }
            guard let name = FieldName(letters: letters) else { return nil }
            let hasValue = position < text.count && text[position] == UInt8(ascii: "=")
            return (name, hasValue ? position + 1 : position)
        }

        /// Where a value ends: at the next ampersand or the text's end; before that, at a character that no header's value is
        /// written with, or a broken escape.
        private static func endOfValue(_ text: Span<UInt8>, from start: Int) -> (Int, isWhole: Bool) {
            var position = start
            while position < text.count {
                switch text[position] {
                // Most bytes: after the ampersand, up to the tilde.
                case 0x27...0x7e: position += 1
                case UInt8(ascii: "&"): return (position, true)
                case UInt8(ascii: "%"):
                    guard text.count - position > 2, text[position + 1].isASCIIHexDigit,
                        text[position + 2].isASCIIHexDigit
                    else { return (position, false) }
                    position += 3
                case 0x21...0x24: position += 1
                default: return (position, false)
                }
            }
            return (position, true)
        }
    }
}

extension SASToken {
    /// A field's name.
    fileprivate enum FieldName: String {
        case resource = "sr"
        case signature = "sig"
        case expiry = "se"
        case keyName = "skn"

        /// The field of a name whose letters, in lower case, are the bytes of a number after a first byte, 1.
        init?(letters: UInt64) {
            switch letters {
            case 0x01_7372: self = .resource
            case 0x0173_6967: self = .signature
            case 0x01_7365: self = .expiry
            case 0x0173_6b6e: self = .keyName
            default: return nil
            }
        }
    }
}

/// The text of `sig`: 32 bytes in base64 (RFC 4648 §4), percent-encoded.
enum SignatureText {
    /// Reads a signature in its one canonical base64 spelling, any of its characters escaped or not.
    static func read(_ text: Span<UInt8>, _ range: Range<Int>) -> HMAC.AuthenticationCode? {
        var reader = Reader(range)
        let sextets = sextets.span
        let code = HMAC.AuthenticationCode(
            SIMD8(
                reader.word(text, sextets), reader.word(text, sextets), reader.word(text, sextets),
                reader.word(text, sextets),
                reader.word(text, sextets), reader.word(text, sextets), reader.word(text, sextets),
                reader.word(text, sextets)))
        return reader.isAtEnd(text) ? code : nil
    }

    /// `Base64.sextet` of every byte: a signature is not secret to the caller who presents it.
    private static let sextets = (UInt8.min...UInt8.max).map { Int8(Base64.sextet($0)) }

    private struct Reader {
        private var characters: PercentDecoding
        private var bits: UInt64 = 0
        private var bitCount: UInt64 = 0
        private var errors: Int8 = 0

        init(_ range: Range<Int>) {
            characters = PercentDecoding(range, readsPlusAsSpace: false)
        }

        /// The next four bytes.
        @inline(__always)
        mutating func word(_ text: Span<UInt8>, _ sextets: Span<Int8>) -> UInt32 {
            while bitCount < 32 {
                let sextet = sextets[Int(characters.next(in: text) ?? 0)]
                errors |= sextet
                bits = bits &<< 6 | UInt64(truncatingIfNeeded: sextet & 63)
                bitCount &+= 6
            }
            bitCount &-= 32
            return UInt32(truncatingIfNeeded: bits &>> bitCount)
        }

        /// Whether there was nothing but the alphabet, and nothing is left but zero bits and the padding.
        mutating func isAtEnd(_ text: Span<UInt8>) -> Bool {
            let unused = bits & ((1 << bitCount) - 1)
            return errors >= 0 && unused == 0 && characters.next(in: text) == UInt8(ascii: "=")
                && characters.next(in: text) == nil
        }
    }
}

extension SASTokenError {
    fileprivate init(_ code: Code, _ field: SASToken.FieldName, offset: Int) {
        self.init(code, field: field.rawValue, offset: offset)
    }
}

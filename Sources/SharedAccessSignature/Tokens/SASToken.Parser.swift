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
        self.init(text, parts)
    }

    @inline(__always)
    private init(_ text: String, _ parts: Parts) {
        headerValue = text
        (rawResource, rawExpiry, rawKeyName) = (parts.fields.resource, parts.fields.expiry, parts.fields.keyName)
        (expiry, signature) = (parts.expiry, parts.signature)
    }

    /// The parsed parts of a token.
    private struct Parts {
        let fields: Fields
        let expiry: Int64
        let signature: HMAC.AuthenticationCode

        @inline(__always)
        init(_ bytes: Span<UInt8>) throws(SASTokenError) {
            fields = try Fields(bytes)
            guard let expiry = SASToken.number(bytes, fields.expiry) else {
                throw SASTokenError(.invalidField, FieldName.expiry, offset: fields.expiry.lowerBound)
            }
            guard let signature = SignatureText.read(bytes, fields.signature) else {
                throw SASTokenError(.invalidField, FieldName.signature, offset: fields.signature.lowerBound)
            }
            (self.expiry, self.signature) = (expiry, signature)
        }
    }

    /// The maximum length of a token in bytes.
    package static let maximumByteCount = 8192

    /// Parses decimal digits; `nil` for other characters or on overflow.
    private static func number(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Int64? {
        var number: UInt64 = 0
        let digits = bytes.extracting(range)
        for index in digits.indices {
            let digit = UInt64(digits[index] &- UInt8(ascii: "0"))
            // The largest number with room for another digit.
            guard digit < 10, number <= UInt64(Int64.max) / 10 else { return nil }
            number = number &* 10 &+ digit
        }
        return Int64(exactly: number)
    }
}

extension SASToken {
    /// The ranges of a token's fields, which are not empty.
    private struct Fields {
        private(set) var resource = 0..<0
        private(set) var signature = 0..<0
        private(set) var expiry = 0..<0
        private(set) var keyName = 0..<0

        init(_ text: Span<UInt8>) throws(SASTokenError) {
            guard text.count <= SASToken.maximumByteCount else {
                throw SASTokenError(.tooLong, offset: SASToken.maximumByteCount)
            }
            var position = try Self.skipScheme(text)
            while true {
                guard let (name, start) = Self.name(text, at: position) else {
                    throw SASTokenError(.unknownField, offset: position)
                }
                guard self[name].isEmpty else { throw SASTokenError(.duplicateField, name, offset: position) }
                let (fieldEnd, isValid) = Self.endOfValue(text, from: start)
                guard isValid, fieldEnd > start else { throw SASTokenError(.invalidField, name, offset: fieldEnd) }
                self[name] = start..<fieldEnd
                if fieldEnd == text.count { break }
                position = fieldEnd + 1
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
            let scheme = Self.scheme.span
            // The bit 0x20 makes letters lower case. The words overlap.
            func isSchemeWord(_ text: Span<UInt8>, at offset: Int) -> Bool {
                text.word(at: offset) | 0x2020_2020_2020_2020 == scheme.word(at: offset)
            }
            guard text.count > scheme.count,
                isSchemeWord(text, at: 0), isSchemeWord(text, at: 8), isSchemeWord(text, at: scheme.count - 8),
                text[scheme.count] == UInt8(ascii: " ")
            else { throw SASTokenError(.invalidScheme, offset: 0) }
            var position = scheme.count + 1
            while position < text.count, text[position] == UInt8(ascii: " ") { position += 1 }
            return position
        }

        /// Parses a field's name.
        ///
        /// - Returns: The name and the start of the value, after the equals sign if present; `nil` for an unknown name.
        private static func name(_ text: Span<UInt8>, at start: Int) -> (FieldName, valueStart: Int)? {
            // Four bytes, the first one lowest. At the end of the text, no field with a value can begin.
            guard start + 4 <= text.count else { return shortName(text, at: start) }
            let word = text.halfWord(at: start)
            let length = Self.isEnd(word >> 16 & 0xff) ? 2 : 3
            let next = word >> (8 * UInt32(length)) & 0xff
            // The bit 0x20 makes letters lower case; no other byte becomes a letter.
            let letters = (word | 0x0020_2020) & (1 << (8 * UInt32(length)) - 1)
            guard Self.isEnd(next), let name = FieldName(letters: letters) else { return nil }
            return (name, next == UInt8(ascii: "=") ? start + length + 1 : start + length)
        }

        /// Parses the name at the end of the text, which has no value.
        private static func shortName(_ text: Span<UInt8>, at start: Int) -> (FieldName, valueStart: Int)? {
            let rest = text.extracting(start..<text.count)
            let count =
                rest.indices.first { rest[$0] == UInt8(ascii: "=") || rest[$0] == UInt8(ascii: "&") } ?? rest.count
            let letters = (0..<count).reversed().reduce(UInt32(0)) { $0 << 8 | UInt32(rest[$1] | 0x20) }
            guard let name = FieldName(letters: letters) else { return nil }
            return (name, count < rest.count && rest[count] == UInt8(ascii: "=") ? start + count + 1 : start + count)
        }

        private static func isEnd(_ byte: UInt32) -> Bool { byte == UInt8(ascii: "=") || byte == UInt8(ascii: "&") }

        /// Returns the end of a value: the next ampersand or the end of the text.
        ///
        /// In an invalid value, the end is the first invalid character or escape.
        private static func endOfValue(_ text: Span<UInt8>, from start: Int) -> (Int, isValid: Bool) {
            var position = start
            while position + 16 <= text.count {
                // At least the scheme is before the value.
                let (invalid, ends) = Self.classify(
                    text.block(at: position), after: text.block(at: position - 1), text.block(at: position - 2))
                if invalid | ends == .zero {
                    position += 16
                    continue
                }
                let end = Self.firstIndex(ends)
                guard end < Self.firstIndex(invalid) else { return endOfValue(text, from: start, at: start) }
                return (position + end, true)
            }
            return endOfValue(text, from: start, at: position)
        }

        /// A block's bytes; 0x80 for true in a result.
        private typealias Block = SIMD16<UInt8>

        /// Returns which bytes are invalid, and which are ampersands.
        ///
        /// After a percent sign, one and two bytes before, a byte must be a hexadecimal digit. A sum has the highest bit from
        /// a limit on, because the addend is 0x80 less the limit.
        @inline(__always)
        private static func classify(
            _ block: Block, after previous: Block, _ secondPrevious: Block
        ) -> (invalid: Flags, ends: Flags) {
            func isAtLeast(_ limit: UInt8, _ block: Block) -> Block { block &+ Block(repeating: 0x80 - limit) }

            let percent = Block(repeating: UInt8(ascii: "%"))
            let isEscape = unsafe unsafeBitCast((previous .== percent) .| (secondPrevious .== percent), to: Block.self)
            let letters = block | Block(repeating: 0x20)
            let isHexDigit =
                isAtLeast(UInt8(ascii: "0"), block) & ~isAtLeast(UInt8(ascii: "9") + 1, block)
                | isAtLeast(UInt8(ascii: "a"), letters) & ~isAtLeast(UInt8(ascii: "f") + 1, letters)
            let isInvalid = block | ~isAtLeast(0x21, block) | isAtLeast(0x7f, block) | isEscape & ~isHexDigit
            let isEnd = unsafe unsafeBitCast(block .== Block(repeating: UInt8(ascii: "&")), to: Block.self)
            return (flags(isInvalid), flags(isEnd))
        }

        /// The highest bits of sixteen bytes.
        private typealias Flags = SIMD2<UInt64>

        @inline(__always)
        private static func flags(_ block: Block) -> Flags {
            unsafe unsafeBitCast(block & Block(repeating: 0x80), to: Flags.self)
        }

        /// Returns the index of the first flag; 16 if there is none.
        @inline(__always)
        private static func firstIndex(_ flags: Flags) -> Int {
            let (low, high) = (flags[0].littleEndian, flags[1].littleEndian)
            return (low != 0 ? low.trailingZeroBitCount : 64 + high.trailingZeroBitCount) / 8
        }

        /// Continues byte by byte.
        private static func endOfValue(_ text: Span<UInt8>, from start: Int, at next: Int) -> (Int, isValid: Bool) {
            var position = next
            // An escape may have started before.
            for count in 1...2 where next - count >= start && text[next - count] == UInt8(ascii: "%") {
                position = next - count
            }
            while position < text.count {
                switch text[position] {
                // The most common case comes first: all visible ASCII characters after the ampersand.
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

        /// Creates a name from an integer: the letters in lower case, the first one lowest.
        init?(letters: UInt32) {
            switch letters {
            case 0x7273: self = .resource
            case 0x67_6973: self = .signature
            case 0x6573: self = .expiry
            case 0x6e_6b73: self = .keyName
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

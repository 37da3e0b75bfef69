import HubText
import NotificationHubs

#if canImport(FoundationEssentials)
public import struct FoundationEssentials.Data
public import struct FoundationEssentials.Date
#else
public import struct Foundation.Data
public import struct Foundation.Date
#endif

/// What is for one user's devices alone, and passes through no push service.
///
/// Printing it does not show the text.
public struct SecurePayload: Hashable, Sendable {
    /// The text.
    public let text: String
    /// Whom it is for.
    public let user: AppBackend.User
    /// From when on nobody gets it any more.
    public let expiry: Date

    /// A payload for a user.
    public init(text: String, user: AppBackend.User, expiry: Date) {
        self.text = text
        self.user = user
        self.expiry = expiry
    }
}

extension SecurePayload: CustomStringConvertible, CustomReflectable {
    /// How long it is, and until when; not the text.
    public var description: String { "SecurePayload(\(text.utf8.count) bytes, until \(expiry))" }

    /// The length and the expiry; not the text.
    public var customMirror: Mirror { Mirror(self, children: ["byteCount": text.utf8.count, "expiry": expiry]) }
}

extension SecurePayload {
    /// What a push notification says of a payload, and a device asks for it by.
    ///
    /// It is no secret: by itself it opens nothing.
    public struct ID: Hashable, Sendable, CustomStringConvertible {
        /// The id as it stands in paths and notifications: letters, digits, `-` and `_` in ASCII.
        public let rawValue: String

        /// How ids are written.
        public enum Format: Sendable {
            /// 128 random bits, as 22 characters of base64url.
            case text
            /// Random positive numbers of 31 bits, for apps that read a number, as that of the sample does. Somebody may guess
            /// one, and gets nothing by it unless the payload is theirs.
            case number
        }

        /// A new id of the system's random numbers. A number may be in use already: look whether it is.
        public static func random(_ format: Format = .text) -> ID {
            var generator = SystemRandomNumberGenerator()
            switch format {
            case .number:
                return ID(rawValue: "\(Int32.random(in: 1...Int32.max, using: &generator))")
            case .text:
                let bytes = (0..<16).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
                let base64url = Data(bytes).base64EncodedString().utf8.filter { $0 != UInt8(ascii: "=") }.map { byte in
                    switch byte {
                    case UInt8(ascii: "+"): UInt8(ascii: "-")
                    case UInt8(ascii: "/"): UInt8(ascii: "_")
                    default: byte
                    }
                }
                return ID(rawValue: String(decoding: base64url, as: UTF8.self))
            }
        }

        /// Reads an id of either form; `nil` if the text is none.
        public init?(_ text: String) {
            let id = ID(rawValue: text)
            guard id.isNumber || text.utf8.count == Self.textLength && text.utf8.allSatisfy(Self.isTextByte) else {
                return nil
            }
            self = id
        }

        private init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// The id's text.
        public var description: String { rawValue }

        /// The id as JSON has it.
        var json: JSONValue {
            isNumber ? number.map { .number(.init($0)) } ?? .null : .string(rawValue)
        }

        /// Written in one way alone, so that there is one id for a number.
        private var isNumber: Bool { number.map { $0 > 0 && "\($0)".utf8.elementsEqual(rawValue.utf8) } ?? false }
        private var number: Int32? { Int32(rawValue) }

        private static let textLength = 22

        private static func isTextByte(_ byte: UInt8) -> Bool {
            byte.isASCIILetterOrDigit || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
        }
    }
}

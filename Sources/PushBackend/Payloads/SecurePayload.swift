import HubText
import NotificationHubs

#if canImport(FoundationEssentials)
public import struct FoundationEssentials.Data
public import struct FoundationEssentials.Date
#else
public import struct Foundation.Data
public import struct Foundation.Date
#endif

/// Text for one user's devices that does not pass through a push service.
///
/// Descriptions do not contain the text.
public struct SecurePayload: Hashable, Sendable {
    /// The text.
    public let text: String
    /// The user whose devices can read the payload.
    public let user: AppBackend.User
    /// The time from which the payload can no longer be read.
    public let expiry: Date

    /// Creates a payload for a user.
    public init(text: String, user: AppBackend.User, expiry: Date) {
        self.text = text
        self.user = user
        self.expiry = expiry
    }
}

extension SecurePayload: CustomStringConvertible, CustomReflectable {
    /// The length and the expiry, without the text.
    public var description: String { "SecurePayload(\(text.utf8.count) bytes, until \(expiry))" }

    /// The length and the expiry, without the text.
    public var customMirror: Mirror { Mirror(self, children: ["byteCount": text.utf8.count, "expiry": expiry]) }
}

extension SecurePayload {
    /// The ID of a payload: push notifications contain it, and devices use it to fetch the payload.
    ///
    /// It is not a secret: reading a payload also requires the user's credential.
    public struct ID: Hashable, Sendable, CustomStringConvertible {
        /// The ID as in paths and notifications: ASCII letters, digits, `-` and `_`.
        public let rawValue: String

        /// The format of IDs.
        public enum Format: Sendable {
            /// 128 random bits, as 22 characters of URL-safe Base64 (RFC 4648 §5).
            case text
            /// A random positive number of 31 bits, for apps that expect a number, such as the sample's. An attacker can guess
            /// such IDs, but an ID gives access only to the caller's own payloads.
            case number
        }

        /// Returns a new ID from the system's random number generator. A number may already be in use: check before using it.
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

        /// Creates an ID from a string in either format, or returns `nil` if the string is not a valid ID.
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

        /// The ID as a string.
        public var description: String { rawValue }

        /// The ID in JSON: a number or a string.
        var json: JSONValue {
            isNumber ? number.map { .number(.init($0)) } ?? .null : .string(rawValue)
        }

        /// Whether the ID is a number in canonical form, without a sign or leading zeros.
        private var isNumber: Bool { number.map { $0 > 0 && "\($0)".utf8.elementsEqual(rawValue.utf8) } ?? false }
        private var number: Int32? { Int32(rawValue) }

        private static let textLength = 22

        private static func isTextByte(_ byte: UInt8) -> Bool {
            byte.isASCIILetterOrDigit || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
        }
    }
}

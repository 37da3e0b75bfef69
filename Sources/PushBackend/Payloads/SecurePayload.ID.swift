import HubText
import NotificationHubs

#if canImport(FoundationEssentials)
import struct FoundationEssentials.Data
#else
import struct Foundation.Data
#endif

extension SecurePayload {
    /// What a push notification says of a payload, and a device asks for it by.
    ///
    /// It is no secret: by itself it opens nothing.
    public struct ID: Hashable, Sendable, CustomStringConvertible {
        /// The id as it stands in paths and notifications: letters, digits, `-` and `_` in ASCII.
        public let text: String

        /// What ids look like.
        public enum Form: Sendable {
            /// 128 random bits, as 22 characters of base64url.
            case text
            /// Random positive numbers of 31 bits, for apps that read a number, as that of the sample does. Somebody may guess
            /// one, and gets nothing by it unless the payload is theirs.
            case number
        }

        /// A new id of the system's random numbers. A number may be in use already: look whether it is.
        public static func random(_ form: Form = .text) -> ID {
            var generator = SystemRandomNumberGenerator()
            switch form {
            case .number:
                return ID(text: "\(Int32.random(in: 1...Int32.max, using: &generator))")
            case .text:
                let bytes = (0..<16).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
                let base64url = Data(bytes).base64EncodedString().utf8.filter { $0 != UInt8(ascii: "=") }.map { byte in
                    switch byte {
                    case UInt8(ascii: "+"): UInt8(ascii: "-")
                    case UInt8(ascii: "/"): UInt8(ascii: "_")
                    default: byte
                    }
                }
                return ID(text: String(decoding: base64url, as: UTF8.self))
            }
        }

        /// Reads an id of either form; `nil` if the text is none.
        public init?(_ text: String) {
            let id = ID(text: text)
            guard id.isNumber || text.utf8.count == Self.textLength && text.utf8.allSatisfy(Self.isTextByte) else {
                return nil
            }
            self = id
        }

        private init(text: String) {
            self.text = text
        }

        /// The id's text.
        public var description: String { text }

        /// The id as JSON has it.
        var json: NotificationHub.JSONValue { isNumber ? number.map { .number(.init($0)) } ?? .null : .string(text) }

        /// Written in one way alone, so that there is one id for a number.
        private var isNumber: Bool { number.map { $0 > 0 && "\($0)".utf8.elementsEqual(text.utf8) } ?? false }
        private var number: Int32? { Int32(text) }

        private static let textLength = 22

        private static func isTextByte(_ byte: UInt8) -> Bool {
            byte.isASCIILetterOrDigit || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
        }
    }
}

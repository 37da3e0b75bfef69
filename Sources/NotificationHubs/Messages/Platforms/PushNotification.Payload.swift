extension PushNotification {
    /// A JSON body: a text or bytes that are JSON already, or a value that is encoded.
    ///
    /// ```swift
    /// try .apple(#"{"aps":{"alert":"Hello"}}"#)      // a literal is JSON
    /// try .apple(.json(text))                        // so is a text that is said to be
    /// try .apple(.encoding(payload))                 // any other value is encoded
    /// ```
    ///
    /// Whether it is a JSON object is checked where a notification is made of it.
    public struct Payload: Hashable, Sendable, ExpressibleByStringLiteral {
        let bytes: [UInt8]

        /// A text that is JSON already. Do not put values into it by hand: encode them.
        public static func json(_ text: some StringProtocol) -> Payload {
            Payload(bytes: Array(text.utf8))
        }

        /// Bytes that are JSON already, in UTF-8.
        public static func json(_ bytes: some Sequence<UInt8>) -> Payload {
            Payload(bytes: Array(bytes))
        }

        /// A value's JSON, members in alphabetical order.
        ///
        /// - Throws: what the value's encoding throws.
        public static func encoding(_ value: some Encodable) throws -> Payload {
            Payload(bytes: try JSON.encode(value))
        }

        /// JSON written in the program's source.
        public init(stringLiteral text: StaticString) {
            bytes = Array(text.description.utf8)
        }

        private init(bytes: [UInt8]) {
            self.bytes = bytes
        }

        /// The top-level members.
        ///
        /// - Throws: ``PushNotification/Invalid`` if it is too large to be sent, or no JSON object.
        func shape() throws(Invalid) -> PayloadShape {
            try PushNotification.checkSize(bytes.count, limit: PushNotification.maximumByteCount)
            guard String(strictUTF8: bytes) != nil, let shape = try? JSON.decode(PayloadShape.self, from: bytes) else {
                throw Invalid(.body, "the body is no JSON object")
            }
            return shape
        }
    }
}

/// A JSON object as far as a notification's headers depend on it: members' names, to two levels.
struct PayloadShape: Decodable {
    /// What a member is.
    enum Member {
        case object(Set<String>, isContentAvailable: Bool)
        case other
    }

    let members: [String: Member]

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        members = Dictionary(
            container.allKeys.map { key in
                guard let inner = try? container.nestedContainer(keyedBy: Key.self, forKey: key) else {
                    return (key.stringValue, .other)
                }
                let flag = try? inner.decode(Int.self, forKey: Key(stringValue: "content-available"))
                return (key.stringValue, .object(Set(inner.allKeys.map(\.stringValue)), isContentAvailable: flag == 1))
            }, uniquingKeysWith: { $1 })
    }

    private struct Key: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }

        init(stringValue: String) { self.stringValue = stringValue }

        init?(intValue: Int) { nil }
    }
}

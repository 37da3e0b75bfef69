extension PushNotification {
    /// A JSON body: a text or bytes that are JSON already, or a value that is encoded.
    ///
    /// ```swift
    /// try .apple(#"{"aps":{"alert":"Hello"}}"#)      // a literal is JSON
    /// try .apple(.json(text))                        // so is a text that is said to be
    /// try .apple(.json(encoding: payload))                 // any other value is encoded
    /// ```
    ///
    /// Whether it is a JSON object, each name in it there once, is checked where a notification is made of it.
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
        public static func json(encoding value: some Encodable) throws -> Payload {
            Payload(bytes: try JSON.encode(value))
        }

        /// JSON written in the program's source.
        public init(stringLiteral text: StaticString) {
            bytes = Array(text.description.utf8)
        }

        private init(bytes: [UInt8]) {
            self.bytes = bytes
        }

        /// The object that it is.
        ///
        /// - Throws: ``HubValidationError`` if it is too large to be sent, or no JSON object.
        func object() throws(HubValidationError) -> JSONObject {
            try PushNotification.checkSize(bytes.count, limit: PushNotification.maximumByteCount)
            do {
                if case .object(let object) = try JSONValue(parsing: bytes) { return object }
            } catch {
                throw HubValidationError(.invalidPayload, "the body is not JSON: \(error)", offset: error.offset)
            }
            throw HubValidationError(.invalidPayload, "the body must be a JSON object")
        }
    }
}

extension PushNotification.Payload: CustomStringConvertible, CustomReflectable {
    /// The size; not the body.
    public var description: String { "\(bytes.count) bytes" }

    /// The size; not the body.
    public var customMirror: Mirror { Mirror(self, children: ["byteCount": bytes.count]) }
}

extension Registration {
    /// Which state of a registration is meant (RFC 9110 §8.8.3): the hub counts it up with each update.
    public struct EntityTag: Hashable, Sendable, CustomStringConvertible {
        /// The tag without quotes, such as `1`.
        public let text: String

        /// Reads a tag as headers and descriptions have it: `W/"1"`, `"1"` or `1`.
        ///
        /// - Throws: ``NotificationHub/InvalidName`` if it is none; `*`, which stands for any, is none.
        public init(validating text: some StringProtocol) throws(NotificationHub.InvalidName) {
            var bytes = Array(text.utf8)[...]
            if bytes.starts(with: "W/\"".utf8) { bytes.removeFirst(2) }
            if bytes.count > 1, bytes.first == UInt8(ascii: "\""), bytes.last == UInt8(ascii: "\"") {
                bytes = bytes.dropFirst().dropLast()
            }
            guard !bytes.isEmpty, bytes != [UInt8(ascii: "*")],
                bytes.allSatisfy({ $0 > 0x20 && $0 < 0x7f && $0 != UInt8(ascii: "\"") })
            else {
                throw NotificationHub.InvalidName(
                    description: "an entity tag is printable ASCII without quotes and spaces, and not *")
            }
            self.text = String(decoding: bytes, as: UTF8.self)
        }

        /// The tag as `If-Match` has it: `"1"`.
        package var headerValue: String { "\"\(text)\"" }

        /// The tag without quotes.
        public var description: String { text }
    }
}

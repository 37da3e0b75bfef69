import HubText
public import NotificationHubs

extension DeviceRegistrar {
    /// A payload that a secure push announced. Descriptions do not contain the text.
    public struct Payload: Hashable, Sendable, Identifiable {
        /// The payload's ID, as in the push notification.
        public let id: ID
        /// The text to display.
        public let text: String

        /// A payload's ID: ASCII letters, digits and `. - _`.
        public struct ID: _HubCheckedText {
            /// The ID as a string.
            public let rawValue: String

            /// Creates an ID from the `secureId` of a push notification.
            ///
            /// - Throws: `HubValidationError` if the text is not a valid ID.
            public init(validating text: some StringProtocol) throws(HubValidationError) {
                rawValue = String(text)
                try TextRule.id("a payload's ID").check(rawValue)
            }
        }
    }
}

extension DeviceRegistrar.Payload {
    /// Parses the backend's response, `{"Id":…,"Payload":"…"}`.
    ///
    /// Names may be in any case. The ID is a string or a number.
    init(json bytes: [UInt8]) throws(DeviceRegistrationError) {
        guard case .object(let object)? = try? JSONValue(parsing: bytes),
            let id = object.value("id"), case .string(let payload)? = object.value("payload")
        else {
            throw DeviceRegistrationError(
                .invalidResponse, detail: "invalid payload response: expected Id and a string Payload")
        }
        let text: String? =
            switch id {
            case .string(let text): text
            case .number(let number): number.text
            default: nil
            }
        guard let text, let id = try? ID(validating: text) else {
            throw DeviceRegistrationError(.invalidResponse, detail: "invalid payload Id in response")
        }
        self.id = id
        self.text = payload
    }
}

extension DeviceRegistrar.Payload: CustomStringConvertible, CustomReflectable {
    /// The ID, without the text.
    public var description: String { "Payload(\(id))" }
    /// A mirror that contains only the ID.
    public var customMirror: Mirror { Mirror(self, children: ["id": id]) }
}

extension JSONObject {
    /// Returns the value of a member, ignoring the case of ASCII letters in its name.
    fileprivate func value(_ name: String) -> JSONValue? {
        members.first { $0.name.utf8.isEqual(ignoringCase: name) }?.value
    }
}

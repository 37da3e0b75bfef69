import HubText
public import NotificationHubs

extension DeviceRegistrar {
    /// A payload that a secure push announced by its id. Descriptions do not show the text.
    public struct Payload: Hashable, Sendable, Identifiable {
        /// The id in the push notification.
        public let id: ID
        /// The text to show.
        public let text: String

        /// A payload's id: letters, digits and `. - _` in ASCII, as backends hand them out.
        public struct ID: HubCheckedText {
            /// The id.
            public let rawValue: String

            /// Validates the `secureId` of a push notification.
            ///
            /// - Throws: `HubValidationError` if the text is not an id.
            public init(validating text: some StringProtocol) throws(HubValidationError) {
                rawValue = String(text)
                try TextRule.id("a payload's id").check(rawValue)
            }
        }
    }
}

extension DeviceRegistrar.Payload {
    /// Reads the backend's answer: `{"Id":…,"Payload":"…"}`, the names in any case, the id a text or a number.
    init(json bytes: [UInt8]) throws(DeviceRegistrationError) {
        guard case .object(let object)? = try? JSONValue(parsing: bytes),
            let id = object.value("id"), case .string(let payload)? = object.value("payload")
        else {
            throw DeviceRegistrationError(.invalidResponse, detail: "missing Id, or Payload is not a string")
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
    /// The id; not the payload.
    public var description: String { "Payload(\(id))" }
    /// The id; not the payload.
    public var customMirror: Mirror { Mirror(self, children: ["id": id]) }
}

extension JSONObject {
    /// The value of a name in any case of ASCII letters.
    fileprivate func value(_ name: String) -> JSONValue? {
        members.first { $0.name.utf8.isEqual(ignoringCase: name) }?.value
    }
}

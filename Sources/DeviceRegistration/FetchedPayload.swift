import HubText
public import NotificationHubs

/// What a secure push has only named: it went past the platforms' services. It is not printed.
public struct FetchedPayload: Hashable, Sendable, Identifiable {
    /// The id that the push named it by.
    public let id: ID
    /// What is to be shown.
    public let text: String

    /// A payload's id: letters, digits and `. - _` in ASCII, as backends hand them out.
    public struct ID: Hashable, Sendable, CustomStringConvertible {
        /// The id's text.
        public let text: String

        /// Checks a text that a push has as `secureId`.
        ///
        /// - Throws: `NotificationHub.InvalidName` for what is no id, which cannot be fetched either.
        public init(validating text: some StringProtocol) throws(NotificationHub.InvalidName) {
            self.text = try NameSegment.checked(text, "a payload's id", maximumLength: 256)
        }

        /// The id's text.
        public var description: String { text }
    }
}

extension FetchedPayload {
    /// Reads the backend's answer: `{"Id":…,"Payload":"…"}`, the names in any case, the id a text or a number.
    init(json bytes: [UInt8]) throws(BackendError) {
        guard case .object(let object)? = try? NotificationHub.JSONValue(parsing: bytes),
            let id = object.value("id"), case .string(let payload)? = object.value("payload")
        else {
            throw BackendError(.invalidResponse, detail: "the answer has no Id, or no text as Payload")
        }
        let text: String? =
            switch id {
            case .string(let text): text
            case .number(let number): number.text
            default: nil
            }
        guard let text, let id = try? ID(validating: text) else {
            throw BackendError(.invalidResponse, detail: "the answer's Id is none")
        }
        self.id = id
        self.text = payload
    }
}

extension FetchedPayload: CustomStringConvertible, CustomReflectable {
    /// The id; not the payload.
    public var description: String { "FetchedPayload(\(id))" }
    /// The id; not the payload.
    public var customMirror: Mirror { Mirror(self, children: ["id": id]) }
}

extension NotificationHub.JSONObject {
    /// The value of a name in any case of ASCII letters.
    fileprivate func value(_ name: String) -> NotificationHub.JSONValue? {
        members.first { $0.name.utf8.isEqual(ignoringCase: name) }?.value
    }
}

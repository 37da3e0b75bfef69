extension PushChannel {
    /// A browser's push subscription. The Push API's `PushSubscription.toJSON()` returns its parts, with `p256dh` and `auth` in `keys`.
    ///
    /// The description redacts all parts: ``auth`` is a secret, and the endpoint is a capability URL.
    public struct BrowserSubscription: Hashable, Sendable {
        /// The URL of the browser vendor's push service for this subscription.
        public var endpoint: String
        /// The browser's public key in URL-safe Base64.
        public var p256dh: String
        /// The secret that the browser shares with the sender, in URL-safe Base64.
        public var auth: String
        /// The JSON members that this type does not model. They are sent back unchanged in an installation.
        public var additionalProperties: AdditionalProperties

        /// Creates a subscription.
        public init(endpoint: String, p256dh: String, auth: String) {
            self.endpoint = endpoint
            self.p256dh = p256dh
            self.auth = auth
            additionalProperties = AdditionalProperties()
        }

        init(_ json: JSONValue) throws(HubValidationError) {
            var reader = try JSONMemberReader(json)
            endpoint = try reader.required("endpoint").text()
            if case .object(let members) = json, members["p256dh"] == nil, case .object? = members["keys"] {
                throw HubValidationError(
                    .invalidJSON, "expected p256dh and auth next to endpoint: move them out of the object",
                    path: "keys")
            }
            p256dh = try reader.required("p256dh").text()
            auth = try reader.required("auth").text()
            additionalProperties = AdditionalProperties(reader.rest)
        }

        var members: JSONObject {
            var members = additionalProperties.members
            members["endpoint"] = .string(endpoint)
            members["p256dh"] = .string(p256dh)
            members["auth"] = .string(auth)
            return members
        }

        func check() throws(HubValidationError) {
            for (name, part) in [("endpoint", endpoint), ("p256dh", p256dh), ("auth", auth)] where part.isEmpty {
                throw HubValidationError(.invalidPushChannel, "must not be empty", path: "pushChannel/\(name)")
            }
        }
    }
}

extension PushChannel.BrowserSubscription: CustomStringConvertible, CustomReflectable {
    /// The type of the channel, without the subscription's parts.
    public var description: String { "browser (redacted)" }

    /// An empty mirror.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

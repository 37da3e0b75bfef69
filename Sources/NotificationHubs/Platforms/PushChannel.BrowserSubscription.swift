extension PushChannel {
    /// A browser's push subscription: the parts of the Push API's `PushSubscription`, as its `toJSON()` gives them.
    ///
    /// It is not printed: ``auth`` is a secret shared by browser and sender, and who knows the endpoint may write to it.
    public struct BrowserSubscription: Hashable, Sendable {
        /// The URL that the browser's vendor has for it.
        public var endpoint: String
        /// The browser's public key, base64url.
        public var p256dh: String
        /// The authentication secret, base64url.
        public var auth: String
        /// What else the service has said of it.
        public var additionalProperties: AdditionalProperties

        /// A subscription of its three parts.
        public init(endpoint: String, p256dh: String, auth: String) {
            self.endpoint = endpoint
            self.p256dh = p256dh
            self.auth = auth
            additionalProperties = AdditionalProperties()
        }

        init(_ json: JSONValue, at path: String) throws(HubValidationError) {
            var reader = try JSONMemberReader(json, at: path)
            endpoint = try reader.required("endpoint").text()
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
    /// What it is; none of its parts.
    public var description: String { "browser (hidden)" }

    /// Nothing.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

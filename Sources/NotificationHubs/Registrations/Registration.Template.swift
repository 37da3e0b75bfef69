extension Registration {
    /// How a template message is written for one device.
    public struct Template: Hashable, Sendable {
        /// A template's name, as an installation's.
        public typealias Name = Installation.Template.Name
        /// When a platform is to stop trying, as in an installation's template.
        public typealias Expiry = Installation.Template.Expiry

        /// The notification's body in the platform's format, with expressions such as `$(message)` where the message's
        /// values go.
        public var body: String
        /// What the template is called. Only the device's own SDKs use it.
        public var name: Name?
        /// Headers for the platform, by their names: of Windows, Windows Phone and Apple devices alone.
        ///
        /// Windows needs `X-WNS-Type`, Windows Phone `X-NotificationClass`. The names of Apple's begin with `apns-`.
        public var headers: [String: String]
        /// When Apple is to stop trying: a date, or an expression.
        public var expiry: Expiry?
        /// Apple's priority: a number up to 255, or an expression. The header `apns-priority` says the same.
        public var priority: String?
        /// What kind of message Baidu is to make of it.
        public var messageType: Int?

        /// A template with a given body.
        public init(
            body: String, name: Name? = nil, headers: [String: String] = [:], expiry: Expiry? = nil,
            priority: String? = nil, messageType: Int? = nil
        ) {
            self.body = body
            self.name = name
            self.headers = headers
            self.expiry = expiry
            self.priority = priority
            self.messageType = messageType
        }
    }
}

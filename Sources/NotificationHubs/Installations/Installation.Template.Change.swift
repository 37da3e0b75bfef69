extension Installation.Template {
    /// A change to a part of an existing template, for ``Installation/Patch/changeTemplate(_:_:)``.
    ///
    /// The service documents these changes; no recorded traffic contains one.
    public struct Change: Hashable, Sendable {
        enum Kind: Hashable, Sendable {
            case setBody(String)
            case setHeaders([String: String])
            case setHeader(String, to: String)
            case removeHeader(String)
            case setExpiry(Expiry)
            case removeExpiry
            case tags(Installation.TagChange)
        }

        let kind: Kind

        /// Replaces the body.
        public static func setBody(_ body: String) -> Change { Change(kind: .setBody(body)) }

        /// Replaces all headers; an empty dictionary removes them.
        public static func setHeaders(_ headers: [String: String]) -> Change { Change(kind: .setHeaders(headers)) }

        /// Adds a header, or replaces the one of the same name.
        public static func setHeader(_ name: String, to value: String) -> Change {
            Change(kind: .setHeader(name, to: value))
        }

        /// Removes a header.
        public static func removeHeader(_ name: String) -> Change { Change(kind: .removeHeader(name)) }

        /// Sets when the platform stops trying.
        public static func setExpiry(_ expiry: Expiry) -> Change { Change(kind: .setExpiry(expiry)) }

        /// Lets the platform decide when to stop trying.
        public static var removeExpiry: Change { Change(kind: .removeExpiry) }

        /// Changes the template's tags.
        public static func tags(_ change: Installation.TagChange) -> Change { Change(kind: .tags(change)) }
    }
}

import HubText

extension Registration {
    /// The registrations to list.
    public struct Selection: Hashable, Sendable {
        private enum Kind: Hashable, Sendable {
            case all
            case tag(String)
            case pushChannel(PushChannel)
        }

        private let kind: Kind

        /// All registrations of the hub.
        public static let all = Selection(kind: .all)

        /// Returns a selection of the registrations with a tag.
        public static func tag(_ tag: NotificationHub.Tag) -> Selection { Selection(kind: .tag(tag.rawValue)) }

        /// Returns a selection of the registrations that the hub created for an installation: a native one and one for each
        /// template.
        public static func installation(_ id: Installation.ID) -> Selection {
            Selection(kind: .tag("$InstallationId:{\(id.rawValue)}"))
        }

        /// Returns a selection of the registrations that the hub created for the installations of a user.
        public static func user(_ id: Installation.UserID) -> Selection {
            Selection(kind: .tag("$UserId:{\(id.rawValue)}"))
        }

        /// Returns a selection of the registrations of a device.
        ///
        /// A browser is selected only by its endpoint, so that its secret is not part of a URL.
        public static func pushChannel(_ channel: PushChannel) -> Selection { Selection(kind: .pushChannel(channel)) }

        /// Returns the tag, percent-encoded for a path segment; `nil` for a selection without a tag.
        ///
        /// - Throws: ``HubValidationError`` for `.` and `..`, which servers remove from a path (RFC 3986 §5.2.4), even
        ///   percent-encoded.
        func tag() throws(HubValidationError) -> String? {
            guard case .tag(let tag) = kind else { return nil }
            guard tag != ".", tag != ".." else {
                throw HubValidationError(.invalidTag, "cannot list the devices of the tag '\(tag)'")
            }
            // Escapes only what is required: the service has rejected tokens for paths with %3a (dotnet#48).
            return tag.percentEncoded(.pathSegment)
        }

        /// Returns the query item for a channel. `ChannelUri` names the handle of any platform, as in the .NET and Java SDKs.
        ///
        /// - Throws: ``HubValidationError`` if the channel is invalid.
        func filter() throws(HubValidationError) -> String? {
            guard case .pushChannel(let channel) = kind else { return nil }
            try Registration(pushChannel: channel).check()
            let name = channel.platform == .browser ? "Endpoint" : "ChannelUri"
            let quoted = channel.stored.handle.utf8.split(
                separator: UInt8(ascii: "'"), omittingEmptySubsequences: false
            )
            .map { String(decoding: $0, as: UTF8.self) }.joined(separator: "''")
            return "$filter=" + "\(name) eq '\(quoted)'".percentEncoded(.form)
        }
    }
}

extension String {
    fileprivate func percentEncoded(_ encoding: PercentEncoding) -> String {
        String(decoding: encoding.encode(utf8), as: UTF8.self)
    }
}

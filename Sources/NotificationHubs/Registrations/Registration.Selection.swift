import HubText

extension Registration {
    /// Which of a hub's registrations are meant.
    public struct Selection: Hashable, Sendable {
        private enum Kind: Hashable, Sendable {
            case all
            case tag(String)
            case pushChannel(PushChannel)
        }

        private let kind: Kind

        /// All of them.
        public static let all = Selection(kind: .all)

        /// Those that have a tag.
        public static func tag(_ tag: NotificationHub.Tag) -> Selection { Selection(kind: .tag(tag.rawValue)) }

        /// Those that the hub has made of an installation: a native one, and one for each template.
        public static func installation(_ id: Installation.ID) -> Selection {
            Selection(kind: .tag("$InstallationId:{\(id.rawValue)}"))
        }

        /// Those of a device. A browser is found by its endpoint alone, so that its secret stays out of URLs.
        public static func pushChannel(_ channel: PushChannel) -> Selection { Selection(kind: .pushChannel(channel)) }

        /// The tag, percent-encoded as a path's segment; `nil` for all registrations and those of a channel.
        var tag: String? {
            guard case .tag(let tag) = kind else { return nil }
            // Escapes no more than required: the service has refused tokens for paths with %3a (dotnet#48).
            return tag.percentEncoded(.pathSegment)
        }

        /// What the query has for it. `ChannelUri` stands for every platform's handle, as in the .NET and Java SDKs.
        ///
        /// - Throws: ``HubValidationError`` for a channel that no device can have.
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

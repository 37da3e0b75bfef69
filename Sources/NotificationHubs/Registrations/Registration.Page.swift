extension Registration {
    /// A part of a listing.
    public struct Page: Hashable, Sendable {
        /// The registrations of this part; there may be none although others follow.
        public let entries: [Entry]
        /// What the next part is asked for by; `nil` if this is the last one.
        public let continuationToken: ContinuationToken?
        /// The kinds of those of this part that cannot be read, since this package does not know them, by the names of their
        /// descriptions: one for each.
        public let unknownKinds: [String]
    }

    /// What the next part of a listing is asked for by: an opaque text. Store ``text``, and make the token again with
    /// ``init(validating:)``.
    public struct ContinuationToken: Hashable, Sendable, CustomStringConvertible {
        /// The token as it stands in URLs: the service has percent-encoded it already.
        public let text: String

        /// Checks a text that is to be a token.
        ///
        /// - Throws: ``NotificationHub/InvalidName`` if it cannot stand in a URL's query as one value.
        public init(validating text: some StringProtocol) throws(NotificationHub.InvalidName) {
            self.text = String(text)
            // What a value of a query may have (RFC 3986 §3.4), but for what ends it.
            guard !text.isEmpty, text.utf8.count <= 4096,
                NameSegment.offsetOfStranger(in: self.text, marks: "%-._~!$'()*+,;=:@/?") == nil
            else {
                throw NotificationHub.InvalidName(
                    description: "a continuation token is what a page of a listing has brought, percent-encoded")
            }
        }

        /// The token's text.
        public var description: String { text }
    }
}

extension Registration.Page {
    init(_ response: HubResponse) throws(UnreadableXML) {
        let feed = try Atom.read(response.body, maximumByteCount: XMLReader.maximumListByteCount)
        var entries: [Registration.Entry] = []
        var unknownKinds: [String] = []
        for entry in try Atom.entries(of: feed) {
            let description = try Atom.description(in: entry.element, at: entry.path)
            if let kind = Registration.Description.unknownKind(of: description) {
                unknownKinds.append(kind)
            } else {
                entries.append(try Registration.Entry(xml: entry.element, at: entry.path))
            }
        }
        self.entries = entries
        self.unknownKinds = unknownKinds
        do {
            continuationToken = try response.headers["x-ms-continuationtoken"].flatMap {
                text throws(NotificationHub.InvalidName) in
                text.isEmpty ? nil : try Registration.ContinuationToken(validating: text)
            }
        } catch {
            throw UnreadableXML(description: "the header x-ms-continuationtoken cannot be sent back: \(error)")
        }
    }
}

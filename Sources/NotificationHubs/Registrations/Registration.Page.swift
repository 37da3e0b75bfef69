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
                text throws(HubValidationError) in
                text.isEmpty ? nil : try Registration.ContinuationToken(validating: text)
            }
        } catch {
            throw UnreadableXML(description: "the header x-ms-continuationtoken cannot be sent back: \(error)")
        }
    }
}

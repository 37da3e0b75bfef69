/// A hub's registrations, read page by page as they are asked for.
///
/// ```swift
/// for try await entry in hub.registrations(.tag("news")) { print(entry.id) }
/// ```
///
/// A registration of a kind that this package does not know is left out; ``pages`` say of each.
///
/// Nothing is read before the first registration is asked for, and no page before the one in front of it is used up. A
/// registration that is created, changed or deleted meanwhile may be missing or come twice.
public struct RegistrationSequence: AsyncSequence, Sendable {
    /// The same listing, a page at a time.
    public let pages: Pages

    init(startingAt token: Registration.ContinuationToken?, read: @escaping Pages.Read) {
        pages = Pages(start: token, read: read)
    }

    /// Begins to read.
    public func makeAsyncIterator() -> Iterator {
        Iterator(pages: pages.makeAsyncIterator())
    }

    /// Reads one registration after the other.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate var pages: Pages.Iterator
        private var entries: ArraySlice<Registration.Entry> = []

        fileprivate init(pages: Pages.Iterator) {
            self.pages = pages
        }

        /// The next registration; `nil` at the end.
        ///
        /// - Throws: ``HubError``, with the code ``HubError/Code/invalidResponse`` for a page that cannot be read or would
        ///   never be the last one; `CancellationError` once the task is cancelled. It is at its end then.
        public mutating func next() async throws -> Registration.Entry? {
            while entries.isEmpty {
                guard let page = try await pages.next() else { return nil }
                entries = page.entries[...]
            }
            return entries.popFirst()
        }
    }

    /// Pages of registrations, with the tokens by which a listing can be taken up again later.
    public struct Pages: AsyncSequence, Sendable {
        typealias Read = @Sendable (Registration.ContinuationToken?) async throws -> Registration.Page

        fileprivate let start: Registration.ContinuationToken?
        fileprivate let read: Read

        /// Begins to read.
        public func makeAsyncIterator() -> Iterator {
            Iterator(next: start, read: read)
        }

        /// Reads one page after the other.
        public struct Iterator: AsyncIteratorProtocol {
            private var nextToken: Registration.ContinuationToken?
            private let read: Read
            private var seen: Set<Registration.ContinuationToken> = []
            private var isAtEnd = false

            fileprivate init(next: Registration.ContinuationToken?, read: @escaping Read) {
                nextToken = next
                self.read = read
            }

            /// The next page; `nil` behind the last one.
            ///
            /// - Throws: as ``RegistrationSequence/Iterator/next()`` does.
            public mutating func next() async throws -> Registration.Page? {
                guard !isAtEnd else { return nil }
                isAtEnd = true
                try Task.checkCancellation()
                if let nextToken, !seen.insert(nextToken).inserted {
                    throw HubError(
                        .invalidResponse,
                        detail: "the hub has given the same continuation token twice: the listing would not end")
                }
                let page = try await read(nextToken)
                nextToken = page.continuationToken
                isAtEnd = nextToken == nil
                return page
            }
        }
    }
}

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

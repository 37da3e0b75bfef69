/// A sequence of a hub's registrations, which requests pages on demand.
///
/// ```swift
/// for try await entry in hub.registrations(.tag("news")) { print(entry.id) }
/// ```
///
/// Registrations of an unknown kind are skipped: see ``Registration/Page/unknownKinds``.
///
/// A page is requested when the iterator has returned all registrations of the previous page. A registration that is created,
/// changed or deleted during the iteration can be missing or appear twice.
public struct RegistrationSequence: AsyncSequence, Sendable {
    /// The same listing, one page at a time.
    public let pages: Pages

    init(startingAt token: Registration.ContinuationToken?, read: @escaping Pages.Read) {
        pages = Pages(start: token, read: read)
    }

    /// Creates an iterator, which sends no request before its first element is awaited.
    public func makeAsyncIterator() -> Iterator {
        Iterator(pages: pages.makeAsyncIterator())
    }

    /// An iterator over registrations.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate var pages: Pages.Iterator
        private var entries: ArraySlice<Registration.Entry> = []

        fileprivate init(pages: Pages.Iterator) {
            self.pages = pages
        }

        /// Returns the next registration, or `nil` at the end or after an error.
        ///
        /// - Throws: ``HubError``, with the code ``HubError/Code/invalidResponse`` if a page or one of its registrations cannot be
        ///   read, or if a page repeats a continuation token; ``HubValidationError`` if the selected channel is invalid or the
        ///   selected tag is `.` or `..`; `CancellationError` when the task is cancelled.
        public mutating func next() async throws -> Registration.Entry? {
            while entries.isEmpty {
                guard let page = try await pages.next() else { return nil }
                if let error = page.errors.first {
                    pages.end()
                    throw error
                }
                entries = page.entries[...]
            }
            return entries.popFirst()
        }
    }

    /// A sequence of pages of registrations, each with a token to resume the listing later.
    public struct Pages: AsyncSequence, Sendable {
        typealias Read = @Sendable (Registration.ContinuationToken?) async throws -> Registration.Page

        fileprivate let start: Registration.ContinuationToken?
        let read: Read

        /// Creates an iterator, which sends no request before its first element is awaited.
        public func makeAsyncIterator() -> Iterator {
            Iterator(next: start, read: read)
        }

        /// An iterator over pages.
        public struct Iterator: AsyncIteratorProtocol {
            private var nextToken: Registration.ContinuationToken?
            private let read: Read
            private var seen: Set<Registration.ContinuationToken> = []
            private var isAtEnd = false

            fileprivate init(next: Registration.ContinuationToken?, read: @escaping Read) {
                nextToken = next
                self.read = read
            }

            /// Ends the iteration.
            mutating func end() { isAtEnd = true }

            /// Returns the next page, or `nil` after the last one or after an error.
            ///
            /// - Throws: The same errors as ``RegistrationSequence/Iterator/next()``, except for a registration that cannot be
            ///   read: see ``Registration/Page/errors``.
            public mutating func next() async throws -> Registration.Page? {
                guard !isAtEnd else { return nil }
                isAtEnd = true
                try Task.checkCancellation()
                if let nextToken, !seen.insert(nextToken).inserted {
                    throw HubError(
                        .invalidResponse,
                        detail: "the hub returned the same continuation token twice, so the listing would not end")
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
    /// A page of a listing.
    public struct Page: Hashable, Sendable {
        /// The registrations of the page. A page can be empty even if others follow.
        public let entries: [Entry]
        /// The position of the next page; `nil` for the last page.
        public let continuationToken: ContinuationToken?
        /// The XML names of unknown kinds, one for each skipped registration.
        public let unknownKinds: [String]
        /// The errors for registrations that cannot be read, with their IDs.
        public let errors: [HubError]
    }
}

extension Registration.Page {
    init(_ response: HubResponse) throws(XMLContentError) {
        let feed = try Atom.read(response.body, maximumByteCount: XMLReader.maximumListByteCount)
        var entries: [Registration.Entry] = []
        var unknownKinds: [String] = []
        var errors: [HubError] = []
        for entry in try Atom.entries(of: feed, title: "Registrations") {
            var description: XMLElement?
            do {
                let content = try Atom.description(in: entry.element, at: entry.path)
                description = content
                if let kind = Registration.Description.unknownKind(of: content) {
                    unknownKinds.append(kind)
                } else {
                    entries.append(try Registration.Entry(entry.element, content, at: entry.path))
                }
            } catch {
                let id = description?["RegistrationId"]?.content
                let subject = id.map { "the registration \($0.quotedForDisplay)" } ?? "a registration"
                errors.append(HubError(response, unreadable: subject, error))
            }
        }
        self.entries = entries
        self.unknownKinds = unknownKinds
        self.errors = errors
        do {
            continuationToken = try response.headers["x-ms-continuationtoken"].flatMap {
                text throws(HubValidationError) in
                text.isEmpty ? nil : try Registration.ContinuationToken(validating: text)
            }
        } catch {
            throw XMLContentError(description: "invalid header x-ms-continuationtoken: \(error)")
        }
    }
}

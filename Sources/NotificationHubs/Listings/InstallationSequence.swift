/// A sequence of a hub's installations.
///
/// ```swift
/// for try await installation in hub.installations() { print(installation.id) }
/// ```
///
/// The service has no list of installations. The sequence lists registrations, finds the installations that the hub created
/// them for, and reads each of these once, several at a time. It remembers their IDs: about 100 bytes for each installation.
///
/// The sequence omits installations of platforms without registrations, and those that are deleted before they are read. An
/// installation that is created or changed during the iteration can be missing.
public struct InstallationSequence: AsyncSequence, Sendable {
    /// The same listing, one page at a time.
    public let pages: Pages

    init(_ pages: Pages) {
        self.pages = pages
    }

    /// Creates an iterator, which sends no request before its first element is awaited.
    public func makeAsyncIterator() -> Iterator {
        Iterator(pages: pages.makeAsyncIterator())
    }

    /// An iterator over installations.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate var pages: Pages.Iterator
        private var installations: ArraySlice<Installation> = []

        fileprivate init(pages: Pages.Iterator) {
            self.pages = pages
        }

        /// Returns the next installation, or `nil` at the end or after an error.
        ///
        /// - Throws: The same errors as ``RegistrationSequence/Iterator/next()`` and ``NotificationHub/installation(_:)``.
        public mutating func next() async throws -> Installation? {
            while installations.isEmpty {
                guard let page = try await pages.next() else { return nil }
                if let error = page.errors.first {
                    pages.end()
                    throw error
                }
                installations = page.installations[...]
            }
            return installations.popFirst()
        }
    }

    /// A sequence of pages of installations, each with a token to resume the listing later.
    public struct Pages: AsyncSequence, Sendable {
        let hub: NotificationHub
        let registrations: RegistrationSequence.Pages
        let excludedIDs: Set<Installation.ID>
        let concurrency: Int
        /// A filter for registrations, which saves the requests for installations that the caller does not need.
        package var isIncluded: @Sendable (Registration.Entry) -> Bool = { _ in true }

        /// Creates an iterator, which sends no request before its first element is awaited.
        public func makeAsyncIterator() -> Iterator {
            Iterator(pages: self)
        }

        /// An iterator over pages.
        public struct Iterator: AsyncIteratorProtocol {
            private let pages: Pages
            private var registrations: RegistrationSequence.Pages.Iterator
            private var seenIDs: Set<Installation.ID>

            fileprivate init(pages: Pages) {
                self.pages = pages
                registrations = pages.registrations.makeAsyncIterator()
                seenIDs = pages.excludedIDs
            }

            /// Ends the iteration.
            mutating func end() { registrations.end() }

            /// Returns the next page, or `nil` after the last one or after an error.
            ///
            /// - Throws: The same errors as ``InstallationSequence/Iterator/next()``, except for a device that cannot be read: see
            ///   ``Installation/Page/errors``.
            public mutating func next() async throws -> Installation.Page? {
                guard let page = try await registrations.next() else { return nil }
                var ids: [Installation.ID] = []
                var others: [Registration.Entry] = []
                for entry in page.entries where pages.isIncluded(entry) {
                    if let id = entry.installationID {
                        if seenIDs.insert(id).inserted { ids.append(id) }
                    } else {
                        others.append(entry)
                    }
                }
                let installations: [Result<Installation, HubError>]
                do {
                    installations = try await pages.hub.existingInstallations(ids, concurrency: pages.concurrency)
                } catch {
                    end()
                    throw error
                }
                var errors = page.errors
                for case .failure(let error) in installations { errors.append(error) }
                return Installation.Page(
                    installations: installations.compactMap { try? $0.get() }, otherRegistrations: others,
                    continuationToken: page.continuationToken, unknownKinds: page.unknownKinds, errors: errors)
            }
        }
    }
}

extension Installation {
    /// A page of a listing.
    public struct Page: Hashable, Sendable {
        /// The installations of the page. A page can be empty even if others follow.
        public let installations: [Installation]
        /// The registrations of the page that do not belong to an installation.
        public let otherRegistrations: [Registration.Entry]
        /// The position of the next page; `nil` for the last page.
        public let continuationToken: Registration.ContinuationToken?
        /// The XML names of unknown kinds, one for each skipped registration.
        public let unknownKinds: [String]
        /// The errors for installations and registrations that cannot be read, with their IDs.
        public let errors: [HubError]
    }
}

extension Registration.Entry {
    /// The ID of the installation that the hub created the registration for; `nil` for other registrations.
    ///
    /// It is the value of the tag `$InstallationId:{ID}`.
    public var installationID: Installation.ID? { registration.installationID }
}

extension Registration {
    /// The ID in the tag that the hub adds to a registration that it creates for an installation.
    package var installationID: Installation.ID? {
        let prefix = "$InstallationId:{"
        for tag in tags
        where tag.rawValue.utf8.starts(with: prefix.utf8) && tag.rawValue.utf8.last == UInt8(ascii: "}") {
            return try? Installation.ID(validating: String(tag.rawValue.dropFirst(prefix.count).dropLast()))
        }
        return nil
    }
}

extension NotificationHub {
    /// Returns the hub's installations, or those of a tag, a user or a device.
    ///
    /// - Parameters:
    ///   - selection: The registrations to list. An installation is included if one of its registrations is selected.
    ///   - concurrency: The maximum number of concurrent requests for installations, which the service throttles heavily.
    ///   - pageSize: The number of registrations per request. The service can return fewer.
    ///   - token: The position to resume at, from ``InstallationSequence/pages`` of the same selection; `nil` for the start.
    ///   - excludedIDs: The installations to omit. Because the registrations of an installation can be on several pages, a
    ///     resumed listing returns it again unless its ID is given here.
    /// - Returns: A sequence that throws ``HubValidationError`` before anything is sent if the selected channel is invalid or the
    ///   selected tag is `.` or `..`, and ``HubError``.
    public func installations(
        _ selection: Registration.Selection = .all, concurrency: Int = 8, pageSize: Int = 100,
        resumingAt token: Registration.ContinuationToken? = nil, excluding excludedIDs: Set<Installation.ID> = []
    ) -> InstallationSequence {
        precondition(concurrency > 0, "concurrency must be positive")
        let registrations = registrations(selection, pageSize: pageSize, resumingAt: token)
        return InstallationSequence(
            .init(
                hub: self, registrations: registrations.pages, excludedIDs: excludedIDs, concurrency: concurrency))
    }

    /// Returns the installations with some IDs, in order and without those that do not exist.
    ///
    /// - Returns: An error for each installation that cannot be read.
    fileprivate func existingInstallations(
        _ ids: [Installation.ID], concurrency: Int
    ) async throws -> [Result<Installation, HubError>] {
        try await withThrowingTaskGroup(of: (Int, Result<Installation, HubError>?).self) { group in
            var found: [Int: Result<Installation, HubError>] = [:]
            for (index, id) in ids.enumerated() {
                if index >= concurrency, let (read, installation) = try await group.next() {
                    found[read] = installation
                }
                group.addTask {
                    do {
                        return (index, try await installationIfExists(id).map { .success($0) })
                    } catch let error as HubError where error.code == .invalidResponse {
                        return (index, .failure(error))
                    }
                }
            }
            for try await (read, installation) in group { found[read] = installation }
            return ids.indices.compactMap { found[$0] }
        }
    }

    /// Returns the installation with an ID, or `nil` if it does not exist.
    package func installationIfExists(_ id: Installation.ID) async throws -> Installation? {
        do {
            return try await installation(id)
        } catch let error as HubError where error.code == .notFound {
            return nil
        }
    }
}

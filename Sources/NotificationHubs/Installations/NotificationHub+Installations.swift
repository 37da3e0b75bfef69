extension NotificationHub {
    /// Creates an installation, or replaces the one of the same id as a whole: tags and templates that it does not have are
    /// gone.
    ///
    /// The service takes it at once and works on it later, as a rule within seconds: until then ``installation(_:)`` may not
    /// find it, or find the old one. Writes that follow each other closely may be carried out in another order.
    ///
    /// - Throws: ``HubValidationError``, before anything is sent, for a tag, name or user id that the service would not take, or
    ///   too many of them; ``HubError``.
    public func putInstallation(_ installation: Installation) async throws {
        let body = try installation.checked().json
        try await perform(
            Operation(
                "putInstallation", .put, .installation, installation.id.rawValue,
                headers: ["Content-Type": "application/json"], body: body, successes: Self.written
            ) { _ in })
    }

    /// The installation of an id.
    ///
    /// Meant for finding faults: the service throttles it tightly, and it lags behind writes.
    ///
    /// - Throws: ``HubError``, with the code ``HubError/Code/notFound`` if there is none, or not yet, and
    ///   ``HubError/Code/invalidResponse`` if the answer cannot be read.
    public func installation(_ id: Installation.ID) async throws -> Installation {
        try await perform(
            Self.readInstallation(id) { response in
                // The service labels this JSON `application/xml`, so the content type is ignored.
                do {
                    return try Installation(json: response.body)
                } catch {
                    throw HubError(unreadable: response, "the installation cannot be read: \(error)")
                }
            })
    }

    /// The body of the response for an installation.
    package func installationBody(_ id: Installation.ID) async throws -> [UInt8] {
        try await perform(Self.readInstallation(id, decode: \.body))
    }

    private static func readInstallation<Response>(
        _ id: Installation.ID, decode: @escaping @Sendable (HubResponse) throws -> Response
    ) -> Operation<Response> {
        Operation("installation", .get, .installation, id.rawValue, decode: decode)
    }

    /// Whether there is an installation of an id; one that was just created may not be there yet.
    ///
    /// It costs as much as ``installation(_:)``: the service has no cheaper request, and answers 404 for a hub, too, that it
    /// does not have.
    ///
    /// - Throws: ``HubError``.
    public func installationExists(_ id: Installation.ID) async throws -> Bool {
        try await perform(
            Operation("installationExists", .get, .installation, id.rawValue, successes: [200, 404]) {
                $0.status == 200
            })
    }

    /// Changes parts of an installation, in the order of the patches.
    ///
    /// As with ``putInstallation(_:)``, the service works on it later. It is not known how it answers for an id that it does
    /// not have. Without any patch, or with patches that add no tag, no request is made.
    ///
    /// - Throws: ``HubValidationError``, before anything is sent, for what the service would not take; ``HubError``.
    public func updateInstallation(_ id: Installation.ID, with patches: [Installation.Patch]) async throws {
        let operations = try Installation.Patch.json(patches)
        if operations.isEmpty { return }
        try await perform(
            Operation(
                "updateInstallation", .patch, .installation, id.rawValue,
                headers: ["Content-Type": "application/json-patch+json"], body: JSONValue.array(operations).bytes,
                successes: Self.written
            ) { _ in })
    }

    /// Deletes the installation of an id, some time after the call.
    ///
    /// It is not known how the service answers for an id that it does not have. That an attempt does not find it any more after
    /// one whose answer was lost is a success.
    ///
    /// - Throws: ``HubError``.
    public func deleteInstallation(_ id: Installation.ID) async throws {
        try await perform(
            Operation(
                "deleteInstallation", .delete, .installation, id.rawValue, successes: Self.written,
                successesOnRetry: [404]
            ) { _ in })
    }

    /// Any success of a write: the service's documentation is not to be relied on for the very status.
    private static let written: Set<Int> = [200, 201, 202, 204]
}

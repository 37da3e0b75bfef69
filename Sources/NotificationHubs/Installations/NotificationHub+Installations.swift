extension NotificationHub {
    /// Creates an installation, or replaces the one of the same id as a whole: tags and templates that it does not have are
    /// gone.
    ///
    /// The service takes it at once and works on it later, as a rule within seconds: until then ``installation(_:)`` may not
    /// find it, or find the old one. Writes that follow each other closely may be carried out in another order.
    ///
    /// - Throws: ``InvalidName``, before anything is sent, for a tag, name or user id that the service would not take, or
    ///   too many of them; ``HubError``.
    public func createOrOverwrite(_ installation: Installation) async throws {
        let body = try installation.checked().json
        _ = try await send(
            .put, "installations", installation.id.text, headers: ["Content-Type": "application/json"], body: body,
            accepting: Self.written)
    }

    /// The installation of an id.
    ///
    /// Meant for finding faults: the service throttles it tightly, and it lags behind writes.
    ///
    /// - Throws: ``HubError``, with the code ``HubError/Code/notFound`` if there is none, or not yet, and
    ///   ``HubError/Code/invalidResponse`` if the answer cannot be read.
    public func installation(_ id: Installation.ID) async throws -> Installation {
        let response = try await send(.get, "installations", id.text, accepting: [200])
        // The service labels this JSON `application/xml`; its word is not taken.
        do {
            return try Installation(json: response.body)
        } catch {
            throw HubError(unreadable: response, "the installation cannot be read: \(error)")
        }
    }

    /// Whether there is an installation of an id; one that was just created may not be there yet.
    ///
    /// It costs as much as ``installation(_:)``: the service has no cheaper request, and answers 404 for a hub, too, that it
    /// does not have.
    ///
    /// - Throws: ``HubError``.
    public func installationExists(_ id: Installation.ID) async throws -> Bool {
        try await send(.get, "installations", id.text, accepting: [200, 404]).status == 200
    }

    /// Changes parts of an installation, in the order of the patches.
    ///
    /// As with ``createOrOverwrite(_:)``, the service works on it later. It is not known how it answers for an id that it does
    /// not have. Without any patch, or with patches that add no tag, no request is made.
    ///
    /// - Throws: ``InvalidName``, before anything is sent, for what the service would not take; ``HubError``.
    public func updateInstallation(_ id: Installation.ID, with patches: [Installation.Patch]) async throws {
        let operations = try Installation.Patch.json(patches)
        if operations.isEmpty { return }
        _ = try await send(
            .patch, "installations", id.text, headers: ["Content-Type": "application/json-patch+json"],
            body: JSONValue.array(operations).bytes, accepting: Self.written)
    }

    /// Deletes the installation of an id, some time after the call.
    ///
    /// It is not known how the service answers for an id that it does not have. That an attempt does not find it any more after
    /// one whose answer was lost is a success.
    ///
    /// - Throws: ``HubError``.
    public func deleteInstallation(_ id: Installation.ID) async throws {
        _ = try await send(.delete, "installations", id.text, accepting: Self.written, acceptingAgain: [404])
    }

    /// Any success of a write: the service's documentation is not to be relied on for the very status.
    private static let written: Set<Int> = [200, 201, 202, 204]
}

extension NotificationHub {
    /// Creates an installation, or replaces the one of the same id as a whole.
    ///
    /// The service takes it at once and works on it later: until then ``installation(_:)`` may not find it, or find the
    /// old one.
    ///
    /// - Throws: ``HubError``; ``NotificationHub/InvalidName`` for a tag that the service would not take.
    public func createOrOverwrite(_ installation: Installation) async throws {
        let installation = try Self.checked(installation)
        _ = try await send(
            .put, "installations", installation.id.text, headers: ["Content-Type": "application/json"],
            body: try JSON.encode(installation), accepting: [200, 201])
    }

    /// The installation of an id.
    ///
    /// Meant for finding faults: the service throttles it, and it lags behind writes.
    ///
    /// - Throws: ``HubError``, with the code ``HubError/Code/notFound`` if there is none.
    public func installation(_ id: Installation.ID) async throws -> Installation {
        let response = try await send(.get, "installations", id.text, accepting: [200])
        // The service labels this JSON `application/xml`; its word is not taken.
        do {
            return try JSON.decode(Installation.self, from: response.body)
        } catch {
            throw HubError(
                .invalidResponse, status: response.status, detail: "the installation cannot be read: \(error)")
        }
    }

    /// Deletes the installation of an id. There need not be one.
    ///
    /// - Throws: ``HubError``.
    public func deleteInstallation(_ id: Installation.ID) async throws {
        _ = try await send(.delete, "installations", id.text, accepting: [200, 204])
    }

    /// The installation as it is sent.
    private static func checked(_ installation: Installation) throws(InvalidName) -> Installation {
        for tag in installation.tags { try tag.check() }
        var checked = installation
        for (name, template) in installation.templates {
            // The service gives a template without tags its name as one, which need not be a tag that it would take.
            if template.tags.map(\.text) == [name] { checked.templates[name]?.tags = [] }
            for tag in checked.templates[name]?.tags ?? [] {
                do {
                    try tag.check()
                } catch {
                    throw InvalidName(description: "in the template \"\(name)\": \(error)")
                }
            }
        }
        return checked
    }
}

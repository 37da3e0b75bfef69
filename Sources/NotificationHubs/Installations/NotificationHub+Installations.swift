extension NotificationHub {
    /// Creates an installation, or replaces the installation with the same ID.
    ///
    /// The tags and templates of the old installation are not kept.
    ///
    /// The service processes writes asynchronously, usually within seconds. Until then, ``installation(_:)`` can throw
    /// ``HubError/Code/notFound`` or return the old state. The service can apply writes in quick succession in another order.
    ///
    /// - Throws: ``HubValidationError``, before anything is sent, if the installation is invalid; ``HubError``.
    public func putInstallation(_ installation: Installation) async throws {
        try await putInstallation(installation, enforcesLimits: true)
    }

    /// Creates or replaces an installation, even if it exceeds limits that hubs do not enforce: see
    /// ``Installation/checked(enforcesLimits:)``.
    package func putInstallation(_ installation: Installation, enforcesLimits: Bool) async throws {
        let body = try installation.checked(enforcesLimits: enforcesLimits).json
        try await perform(
            Operation(
                "putInstallation", .put, .installation, installation.id.rawValue,
                headers: ["Content-Type": "application/json"], body: body, successes: Self.written
            ) { _ in })
    }

    /// Returns the installation with an ID.
    ///
    /// Use it only for debugging: the service throttles these requests heavily, and the result can be older than the last
    /// write.
    ///
    /// - Throws: ``HubError``, with the code ``HubError/Code/notFound`` if the installation does not exist, and
    ///   ``HubError/Code/invalidResponse`` if the response cannot be parsed.
    public func installation(_ id: Installation.ID) async throws -> Installation {
        try await perform(
            Self.readInstallation(id) { response in
                // The service labels this JSON `application/xml`, so the content type is ignored.
                let installation: Installation
                do {
                    installation = try Installation(json: response.bodyWithoutByteOrderMark)
                } catch {
                    throw HubError(
                        unreadable: response,
                        "the installation \(id.rawValue.quotedForDisplay) cannot be read: \(error)")
                }
                guard installation.id == id else {
                    throw HubError(unreadable: response, "the response contains another installation")
                }
                return installation
            })
    }

    /// Returns the response body for an installation, without parsing it.
    package func installationBody(_ id: Installation.ID) async throws -> [UInt8] {
        try await perform(Self.readInstallation(id, decode: \.body))
    }

    private static func readInstallation<Response>(
        _ id: Installation.ID, decode: @escaping @Sendable (HubResponse) throws -> Response
    ) -> Operation<Response> {
        Operation("installation", .get, .installation, id.rawValue, decode: decode)
    }

    /// Returns whether an installation exists. A new installation may not exist yet.
    ///
    /// The request is the same as that of ``installation(_:)``. The result is also `false` if the hub does not exist, because
    /// the service responds with status 404 in both cases.
    ///
    /// - Throws: ``HubError``.
    package func installationExists(_ id: Installation.ID) async throws -> Bool {
        try await perform(
            Operation("installationExists", .get, .installation, id.rawValue, successes: [200, 404]) {
                $0.status == 200
            })
    }

    /// Changes parts of an installation, in the order of the patches.
    ///
    /// As with ``putInstallation(_:)``, the service processes the patches asynchronously. Its response for an unknown ID is not
    /// documented. No request is sent if `patches` contains no operation, such as an empty list of tags to add.
    ///
    /// - Throws: ``HubValidationError``, before anything is sent, if a patch is invalid; ``HubError``.
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

    /// Deletes an installation.
    ///
    /// The service deletes it asynchronously, and responds in the same way if it does not exist (Microsoft, "Delete
    /// Installation"). A retry that gets status 404 after a lost response counts as a success.
    ///
    /// - Throws: ``HubError``.
    public func deleteInstallation(_ id: Installation.ID) async throws {
        try await perform(
            Operation(
                "deleteInstallation", .delete, .installation, id.rawValue, successes: Self.written,
                successesOnRetry: [404]
            ) { _ in })
    }

    /// The statuses of a successful write. The service's documentation of them is not reliable.
    private static let written: Set<Int> = [200, 201, 202, 204]
}

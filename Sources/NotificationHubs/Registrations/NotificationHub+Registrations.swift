extension NotificationHub {
    /// Creates a registration ID for ``putRegistration(_:id:)``.
    ///
    /// Store the ID on the device, so that later calls replace the registration instead of adding another one.
    ///
    /// - Throws: ``HubError``, with the code ``HubError/Code/invalidResponse`` if the response contains no ID.
    public func createRegistrationID() async throws -> Registration.ID {
        // An unused ID costs nothing, so the request can be repeated.
        try await perform(
            Operation(
                "createRegistrationID", .post, .registrationIDs, isIdempotent: true, successes: [200, 201]
            ) { response in
                let headers = response.headers
                guard
                    let id = (headers["Location"] ?? headers["Content-Location"]).flatMap(
                        Registration.ID.init(location:))
                else {
                    throw HubError(unreadable: response, "no registration ID in the Location header")
                }
                return id
            })
    }

    /// Creates a registration with a new ID.
    ///
    /// A device with several registrations receives each notification several times. To avoid that, store an ID from
    /// ``createRegistrationID()`` on the device and use ``putRegistration(_:id:)``.
    ///
    /// - Throws: ``HubValidationError``, before anything is sent, if the registration is invalid or its platform does not
    ///   support it; ``HubError``, with the code ``HubError/Code/mayHaveBeenAccepted`` if the hub may have created the
    ///   registration, and ``HubError/Code/invalidResponse`` if it has, but its response cannot be parsed.
    public func createRegistration(_ registration: Registration) async throws -> Registration.Entry {
        try await perform(
            Operation("createRegistration", .post, .registrations, writing: registration, isIdempotent: false))
    }

    /// Creates a registration with an ID, or replaces the registration with that ID.
    ///
    /// - Throws: ``HubValidationError``, before anything is sent, if the registration is invalid or its platform does not
    ///   support it; ``HubError``, with the code ``HubError/Code/gone`` if the ID is no longer valid: get a new one
    ///   from ``createRegistrationID()``.
    public func putRegistration(
        _ registration: Registration, id: Registration.ID
    ) async throws -> Registration.Entry {
        try await putRegistration(registration, id: id, enforcesLimits: true)
    }

    /// Creates or replaces a registration, even if it exceeds limits that hubs do not enforce: see
    /// ``Installation/checked(enforcesLimits:)``.
    package func putRegistration(
        _ registration: Registration, id: Registration.ID, enforcesLimits: Bool
    ) async throws -> Registration.Entry {
        try await perform(
            Operation("putRegistration", .put, .registration, id, writing: registration, enforcesLimits: enforcesLimits)
        )
    }

    /// Replaces an existing registration.
    ///
    /// - Parameters:
    ///   - registration: The new registration.
    ///   - id: The ID of the registration.
    ///   - entityTag: The version to replace; `nil` replaces any version.
    /// - Throws: ``HubValidationError``, before anything is sent, if the registration is invalid or its platform does not
    ///   support it; ``HubError``, with the code ``HubError/Code/notFound`` if the registration does not exist,
    ///   ``HubError/Code/preconditionFailed`` if it has another version, and, with an entity tag,
    ///   ``HubError/Code/mayHaveBeenAccepted`` if the hub may have made the update.
    public func updateRegistration(
        _ registration: Registration, id: Registration.ID, ifMatch entityTag: Registration.EntityTag?
    ) async throws -> Registration.Entry {
        // With an entity tag, the hub would reject a retry if the first attempt changed the registration.
        try await perform(
            Operation(
                "updateRegistration", .put, .registration, id, writing: registration,
                headers: ["If-Match": entityTag?.headerValue ?? "*"], isIdempotent: entityTag == nil))
    }

    /// Returns the registration with an ID.
    ///
    /// - Throws: ``HubError``, with the code ``HubError/Code/notFound`` if it does not exist.
    public func registration(_ id: Registration.ID) async throws -> Registration.Entry {
        try await perform(
            Operation("registration", .get, .registration, id.rawValue) { try Registration.Entry($0, id: id) })
    }

    /// Returns whether a registration exists.
    ///
    /// - Throws: ``HubError``.
    package func registrationExists(_ id: Registration.ID) async throws -> Bool {
        try await perform(
            Operation("registrationExists", .get, .registration, id.rawValue, successes: [200, 404]) {
                $0.status == 200
            })
    }

    /// Deletes a registration, if it exists.
    ///
    /// - Parameters:
    ///   - id: The ID of the registration.
    ///   - entityTag: The version to delete; `nil` deletes any version.
    /// - Throws: ``HubError``, with the code ``HubError/Code/preconditionFailed`` if the registration has another version.
    public func deleteRegistration(
        _ id: Registration.ID, ifMatch entityTag: Registration.EntityTag? = nil
    ) async throws {
        try await perform(
            Operation(
                "deleteRegistration", .delete, .registration, id.rawValue,
                headers: ["If-Match": entityTag?.headerValue ?? "*"], successes: [200, 204, 404]
            ) { _ in })
    }

    /// Deletes all registrations of a device, including those of its installations.
    ///
    /// The hub deletes an installation with its last registration. Registrations that are created meanwhile can remain.
    ///
    /// - Throws: ``HubValidationError``, before anything is sent, if the channel is invalid; ``HubError``. If an error is thrown,
    ///   some registrations may have been deleted.
    public func deleteRegistrations(pushChannel: PushChannel) async throws {
        // All pages are read first, because a deletion can move the registrations of the next page.
        var ids: [Registration.ID] = []
        for try await entry in registrations(.pushChannel(pushChannel)) { ids.append(entry.id) }
        for id in ids { try await deleteRegistration(id) }
    }

    /// Returns the hub's registrations, or those of a tag, a user or a device.
    ///
    /// - Parameters:
    ///   - selection: The registrations to list.
    ///   - pageSize: The number of registrations per request. The service can return fewer. The sequence throws for a page of
    ///     more than 4 MiB: use a smaller number if templates are large.
    ///   - token: The position to resume at, from ``RegistrationSequence/pages`` of the same selection; `nil` for the start.
    /// - Returns: A sequence that throws ``HubValidationError`` before anything is sent if the selected channel is invalid or the
    ///   selected tag is `.` or `..`, and ``HubError``.
    public func registrations(
        _ selection: Registration.Selection = .all, pageSize: Int = 100,
        resumingAt token: Registration.ContinuationToken? = nil
    ) -> RegistrationSequence {
        precondition(pageSize > 0, "pageSize must be positive")
        return RegistrationSequence(startingAt: token) { token in
            let query = [
                try selection.filter(), "$top=\(pageSize)", token.map { "continuationtoken=\($0.rawValue)" },
            ]
            return try await perform(selection.operation(query: query))
        }
    }

    /// Returns one page of the hub's registrations, or of those of a tag, a user or a device.
    ///
    /// - Parameters:
    ///   - selection: The registrations to list.
    ///   - pageSize: The number of registrations. The service can return fewer.
    ///   - token: The ``Registration/Page/continuationToken`` of the preceding page; `nil` for the first page.
    /// - Throws: The same errors as ``RegistrationSequence/Iterator/next()``.
    package func registrationPage(
        _ selection: Registration.Selection = .all, pageSize: Int = 100,
        after token: Registration.ContinuationToken? = nil
    ) async throws -> Registration.Page {
        try await registrations(selection, pageSize: pageSize, resumingAt: token).pages.read(token)
    }
}

extension Operation where Response == Registration.Entry {
    /// Creates an operation that writes a registration.
    fileprivate init(
        _ name: HubEvent.OperationName, _ method: HubRequest.Method, _ path: PathTemplate, _ id: Registration.ID? = nil,
        writing registration: Registration, enforcesLimits: Bool = true, headers: HubHeaders = [:],
        isIdempotent: Bool = true
    ) throws {
        try registration.check(enforcesLimits: enforcesLimits)
        var headers = headers
        headers["Content-Type"] = Atom.entryType
        self.init(
            name, method, path, id?.rawValue, headers: headers,
            body: try Atom.bytes(Registration.Description(registration).xml), isIdempotent: isIdempotent,
            successes: [200, 201]
        ) { try Registration.Entry($0, id: id) }
    }
}

extension Registration.Selection {
    /// Returns the operation that reads a page.
    fileprivate func operation(query: [String?]) throws(HubValidationError) -> Operation<Registration.Page> {
        let decode: @Sendable (HubResponse) throws -> Registration.Page = { response in
            do {
                return try Registration.Page(response)
            } catch let error as XMLContentError {
                throw HubError(response, unreadable: "the registrations", error)
            }
        }
        return if let tag = try tag() {
            Operation("registrations", .get, .registrationsOfTag, tag, query: query, decode: decode)
        } else {
            Operation("registrations", .get, .registrations, query: query, decode: decode)
        }
    }
}

extension Registration.Entry {
    /// - Parameter id: The ID of the expected registration; `nil` for a new one.
    fileprivate init(_ response: HubResponse, id: Registration.ID?) throws {
        do {
            try self.init(xml: Atom.read(response.body))
        } catch {
            throw HubError(response, unreadable: "the registration", error)
        }
        guard self.id == id ?? self.id else {
            throw HubError(unreadable: response, "the response contains another registration")
        }
    }
}

extension HubError {
    /// Creates the error for a response whose XML cannot be read.
    init(_ response: HubResponse, unreadable subject: String, _ error: XMLContentError) {
        self.init(unreadable: response, "\(subject) cannot be read: \(error.description)")
    }
}

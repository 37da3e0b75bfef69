extension NotificationHub {
    /// Has the hub make an id for a registration, which ``putRegistration(_:id:)`` takes: so that a device keeps it, and a
    /// registration that is put twice is one.
    ///
    /// - Throws: ``HubError``.
    public func createRegistrationID() async throws -> Registration.ID {
        // An unused id costs nothing, so the request can be repeated.
        try await perform(
            Operation(
                "createRegistrationID", .post, .registrationIDs, isIdempotent: true, successes: [200, 201]
            ) { response in
                let headers = response.headers
                guard
                    let id = (headers["Location"] ?? headers["Content-Location"]).flatMap(
                        Registration.ID.init(location:))
                else {
                    throw HubError(unreadable: response, "the answer's Location ends with no registration id")
                }
                return id
            })
    }

    /// Registers a device under a new id.
    ///
    /// The same device may be registered several times, and gets a message as many times then; ``putRegistration(_:id:)``
    /// under an id that the device keeps avoids that.
    ///
    /// - Throws: ``HubValidationError``, before anything is sent, for what the service would not take, or has no place for on the
    ///   platform; ``HubError``, with the code ``HubError/Code/mayHaveBeenAccepted`` if no response tells: the device may be
    ///   registered then.
    public func createRegistration(_ registration: Registration) async throws -> Registration.Entry {
        try await perform(
            Operation("createRegistration", .post, .registrations, writing: registration, isIdempotent: false))
    }

    /// Registers a device under an id, or replaces the registration of that id as a whole.
    ///
    /// - Throws: ``HubValidationError``, before anything is sent, for what the service would not take, or has no place for on the
    ///   platform; ``HubError``, with the code ``HubError/Code/gone`` if the id is of no use any more: get a new one with
    ///   ``createRegistrationID()``.
    public func putRegistration(
        _ registration: Registration, id: Registration.ID
    ) async throws -> Registration.Entry {
        try await perform(Operation("putRegistration", .put, .registration, id.rawValue, writing: registration))
    }

    /// Replaces a registration that there is.
    ///
    /// - Parameters:
    ///   - registration: what it becomes, as a whole.
    ///   - id: the id of the registration.
    ///   - entityTag: the state that is replaced; `nil` for whichever it is in.
    /// - Throws: ``HubValidationError``, before anything is sent, for what the service would not take, or has no place for on the
    ///   platform; ``HubError``, with the code ``HubError/Code/notFound`` if there is none,
    ///   ``HubError/Code/preconditionFailed`` if it is in another state, and, for a given state,
    ///   ``HubError/Code/mayHaveBeenAccepted`` if no response tells whether it was done.
    public func updateRegistration(
        _ registration: Registration, id: Registration.ID, ifMatch entityTag: Registration.EntityTag?
    ) async throws -> Registration.Entry {
        // Sent again after it was taken, an update of a given state would be refused for its own sake.
        try await perform(
            Operation(
                "updateRegistration", .put, .registration, id.rawValue, writing: registration,
                headers: ["If-Match": entityTag?.headerValue ?? "*"], isIdempotent: entityTag == nil))
    }

    /// The registration of an id.
    ///
    /// - Throws: ``HubError``, with the code ``HubError/Code/notFound`` if there is none.
    public func registration(_ id: Registration.ID) async throws -> Registration.Entry {
        try await perform(
            Operation("registration", .get, .registration, id.rawValue) { try Registration.Entry($0) })
    }

    /// Deletes the registration of an id. There need not be one: it may be this call that has deleted it, if it was sent
    /// again.
    ///
    /// - Parameters:
    ///   - id: the id of the registration.
    ///   - entityTag: the state in which it is deleted; `nil` for whichever it is in.
    /// - Throws: ``HubError``, with the code ``HubError/Code/preconditionFailed`` if it is in another state.
    public func deleteRegistration(
        _ id: Registration.ID, ifMatch entityTag: Registration.EntityTag? = nil
    ) async throws {
        try await perform(
            Operation(
                "deleteRegistration", .delete, .registration, id.rawValue,
                headers: ["If-Match": entityTag?.headerValue ?? "*"], successes: [200, 204, 404]
            ) { _ in })
    }

    /// The hub's registrations, or those of a tag or a device.
    ///
    /// - Parameters:
    ///   - selection: which ones.
    ///   - pageSize: how many to ask for at once. The service may give fewer. A page of more than 4 MiB is not read: ask for
    ///     fewer if templates are large.
    ///   - token: where to begin: what ``RegistrationSequence/pages`` of the same selection has brought.
    /// - Returns: what throws ``HubValidationError``, before anything is sent, for a channel that no device can have, and ``HubError``.
    public func registrations(
        _ selection: Registration.Selection = .all, pageSize: Int = 100,
        resumingAt token: Registration.ContinuationToken? = nil
    ) -> RegistrationSequence {
        precondition(pageSize > 0, "a page has one registration at least")
        return RegistrationSequence(startingAt: token) { token in
            let query = [
                try selection.filter(), "$top=\(pageSize)", token.map { "continuationtoken=\($0.rawValue)" },
            ]
            return try await perform(selection.operation(query: query))
        }
    }
}

extension Operation where Response == Registration.Entry {
    /// A request that writes a registration.
    fileprivate init(
        _ name: HubEvent.Operation, _ method: HubRequest.Method, _ path: PathTemplate, _ argument: String? = nil,
        writing registration: Registration, headers: HubHeaders = [:], isIdempotent: Bool = true
    ) throws {
        try registration.check()
        var headers = headers
        headers["Content-Type"] = Atom.entryType
        self.init(
            name, method, path, argument, headers: headers,
            body: try Atom.bytes(Registration.Description(registration).xml), isIdempotent: isIdempotent,
            successes: [200, 201]
        ) { try Registration.Entry($0) }
    }
}

extension Registration.Selection {
    /// The request for a page.
    fileprivate func operation(query: [String?]) -> Operation<Registration.Page> {
        let decode: @Sendable (HubResponse) throws -> Registration.Page = { response in
            do {
                return try Registration.Page(response)
            } catch let error as UnreadableXML {
                throw HubError(response, unreadable: "the registrations", error)
            }
        }
        return if let tag {
            Operation("registrations", .get, .registrationsOfTag, tag, query: query, decode: decode)
        } else {
            Operation("registrations", .get, .registrations, query: query, decode: decode)
        }
    }
}

extension Registration.Entry {
    fileprivate init(_ response: HubResponse) throws {
        do {
            try self.init(xml: Atom.read(response.body))
        } catch {
            throw HubError(response, unreadable: "the registration", error)
        }
    }
}

extension HubError {
    /// An answer that is not what it should be.
    init(_ response: HubResponse, unreadable what: String, _ error: UnreadableXML) {
        self.init(
            .invalidResponse, status: response.status, detail: "\(what) cannot be read: \(error.description)",
            trackingID: response.trackingID, correlationID: response.correlationID)
    }
}

import HubText
public import NotificationHubs

/// Registers this device with an app backend that knows its users, and fetches what the backend keeps for them.
///
/// ```swift
/// let registrar = try DeviceRegistrar(
///     backend: DeviceRegistrar.Address("https://push.contoso.com"), transport: .http, storage: .file(path: path)
/// ) { try await signedInUser.map { try .bearer($0.token) } }
/// try await registrar.register(.apple(deviceToken: token), tags: ["news"])
/// ```
///
/// It speaks to `AppBackend` of the module PushBackend, and to any server with the routes of Microsoft's samples "notify users"
/// and "secure push". Changes are made one after another, however many tasks ask for them.
public struct DeviceRegistrar: Sendable {
    private let backend: Backend
    private let storage: any RegistrationIDStorage
    private let sendsHandleInQuery: Bool
    /// Two changes at once would each ask for an id.
    private let turns = Gate(count: 1)

    /// Creates a registrar of this device.
    ///
    /// - Parameters:
    ///   - backend: The address of the backend.
    ///   - transport: The transport of the requests.
    ///   - storage: Keeps the registration's id from one start of the app to the next.
    ///   - sendsHandleInQuery: Whether the request for an id has the device's handle in its query, for backends like
    ///     Microsoft's samples, which read no body. Otherwise it is in the body, out of access logs.
    ///   - timeout: The timeout of a request.
    ///   - credential: Returns the credential of the signed-in user, or `nil` if no user is signed in. It is called for each
    ///     request.
    public init(
        backend: Address, transport: some HubTransport, storage: some RegistrationIDStorage,
        sendsHandleInQuery: Bool = false, timeout: Duration = .seconds(30),
        credential: @escaping @Sendable () async throws -> Credential?
    ) {
        self.backend = Backend(address: backend, transport: transport, credential: credential, timeout: timeout)
        self.storage = storage
        self.sendsHandleInQuery = sendsHandleInQuery
    }

    /// Registers the device for the user who has signed in: call it at every start of the app, whenever the platform hands
    /// out a handle, and when another user signs in.
    ///
    /// The registration's id is the remembered one, or is asked for. If the backend says that it is of no use (410: the hub has
    /// forgotten it; 403 or 404: it is another user's), it is forgotten, a new one is asked for, and that is tried once.
    /// (Microsoft's sample tries once more, too, but with the id that it has just forgotten.)
    ///
    /// - Parameters:
    ///   - channel: where the device is reached.
    ///   - tags: what it is interested in. The backend adds the user's own.
    /// - Throws: ``DeviceRegistrationError``; `HubValidationError` for a channel or tag that no hub takes; what the
    ///   storage or the source of the credential throws.
    public func register(_ channel: PushChannel, tags: [NotificationHub.Tag] = []) async throws {
        try await turns.pass {
            for isLast in [false, true] {
                let id = try await registrationID(for: channel)
                do {
                    return try await put(id, channel, tags)
                } catch let error as DeviceRegistrationError where [.gone, .forbidden, .notFound].contains(error.code) {
                    try await storage.setRegistrationID(nil)
                    if isLast { throw error }
                }
            }
        }
    }

    /// Takes the device's registration back, and forgets its id: for when the user signs out, and before the credential is gone.
    ///
    /// Without a remembered id nothing is done.
    ///
    /// - Throws: ``DeviceRegistrationError``; what the storage or the source of the credential throws.
    public func unregister() async throws {
        try await turns.pass {
            guard let id = try await storage.registrationID() else { return }
            do {
                _ = try await backend.send(.delete, "register/\(id)")
            } catch let error as DeviceRegistrationError where [.gone, .forbidden, .notFound].contains(error.code) {
                // There is nothing of this user to take back.
            }
            try await storage.setRegistrationID(nil)
        }
    }

    /// Sends a message to all devices of the user who has signed in: shown by them, or kept by the backend for them to fetch,
    /// whichever the backend is for.
    ///
    /// - Throws: ``DeviceRegistrationError``, of the code `mayHaveBeenDone` if the message may have been sent: sent again, it
    ///   may be shown twice. What the source of the credential throws.
    public func notifyOwnDevices(_ message: String) async throws {
        _ = try await backend.send(.post, "notifications", body: ["message": .string(message)])
    }

    /// Fetches what a secure push has only named.
    ///
    /// The request says which device asks, by its registration's id if one is remembered: there are backends that give each
    /// device a payload once.
    ///
    /// - Parameter id: the text that the push's payload has as `secureId`.
    /// - Throws: ``DeviceRegistrationError``: of the code `needsAuthentication` if the user must sign in first, when the app
    ///   shows its generic notification; of `notFound` if the payload has expired or is not this user's. What the source of
    ///   the credential throws.
    public func securePayload(_ id: Payload.ID) async throws -> Payload {
        let device = try await storage.registrationID()
        let query = device.map { "device=\($0)" } ?? ""
        let payload = try Payload(json: try await backend.send(.get, "notifications/\(id)", query: query))
        guard payload.id == id else {
            throw DeviceRegistrationError(
                .invalidResponse, detail: "the response contains another payload than requested")
        }
        return payload
    }

    // MARK: Requests

    /// The remembered id, or a new one, which is remembered from now on.
    private func registrationID(for channel: PushChannel) async throws -> Registration.ID {
        if let id = try await storage.registrationID() { return id }
        let (handle, platform) = (channel.text, channel.platform.rawValue)
        let answer =
            if sendsHandleInQuery {
                try await backend.send(
                    .post, "register", query: "handle=\(encoded(handle))&platform=\(encoded(platform))")
            } else {
                try await backend.send(
                    .post, "register", body: ["handle": .string(handle), "platform": .string(platform)])
            }
        guard case .string(let text)? = try? JSONValue(parsing: answer),
            let id = try? Registration.ID(validating: text)
        else {
            throw DeviceRegistrationError(
                .invalidResponse, detail: "the response to a request for an id is not a registration id")
        }
        try await storage.setRegistrationID(id)
        return id
    }

    private func encoded(_ text: String) -> String {
        String(decoding: PercentEncoding.rfc3986.encode(text.utf8), as: UTF8.self)
    }

    private func put(_ id: Registration.ID, _ channel: PushChannel, _ tags: [NotificationHub.Tag]) async throws {
        _ = try await backend.send(
            .put, "register/\(id)",
            body: [
                "Platform": .string(channel.platform.rawValue), "Handle": .string(channel.text),
                "Tags": .array(tags.map { .string($0.rawValue) }),
            ])
    }
}

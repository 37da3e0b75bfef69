import HubText
public import NotificationHubs

/// Registers this device with an app backend, and fetches the user's secure payloads from it.
///
/// ```swift
/// let registrar = try DeviceRegistrar(
///     backend: DeviceRegistrar.Address("https://push.contoso.com"), transport: .http, storage: .file(path: path)
/// ) { try await signedInUser.map { try .bearer($0.token) } }
/// try await registrar.register(.apple(deviceToken: token), tags: ["news"])
/// ```
///
/// The backend can be PushBackend's `AppBackend`, or any server with the routes of Microsoft's samples "notify users" and
/// "secure push". Concurrent calls to ``register(_:tags:)`` and ``unregister()`` run one at a time.
public struct DeviceRegistrar: Sendable {
    private let backend: Backend
    private let storage: any RegistrationIDStorage
    private let sendsHandleInQuery: Bool
    /// Serializes changes: two concurrent calls would each request an ID.
    private let limiter = ConcurrencyLimiter(limit: 1)

    /// Creates a registrar for this device.
    ///
    /// - Parameters:
    ///   - backend: The address of the backend.
    ///   - transport: The transport that sends the requests.
    ///   - storage: The storage that keeps the registration's ID between app launches.
    ///   - sendsHandleInQuery: Whether to send the device's handle in the query of the request for an ID, for backends
    ///     that do not read its body, such as Microsoft's samples. By default the handle is in the body, which keeps it
    ///     out of access logs.
    ///   - timeout: The timeout of each request.
    ///   - credential: A closure that returns the credential of the signed-in user, or `nil` if no user is signed in. It is
    ///     called for each request.
    public init(
        backend: Address, transport: some HubTransport, storage: some RegistrationIDStorage,
        sendsHandleInQuery: Bool = false, timeout: Duration = .seconds(30),
        credential: @escaping @Sendable () async throws -> Credential?
    ) {
        self.backend = Backend(address: backend, transport: transport, credential: credential, timeout: timeout)
        self.storage = storage
        self.sendsHandleInQuery = sendsHandleInQuery
    }

    /// Registers the device for the signed-in user.
    ///
    /// Call this function at every app launch, whenever the platform issues a handle, and when another user signs in.
    ///
    /// The registration's ID comes from the storage, or from the backend if none is stored. If the backend rejects the
    /// ID (410: the hub no longer has it; 403 or 404: it belongs to another user), this function discards it and
    /// retries once with a new ID. (Microsoft's sample retries with the discarded ID.)
    ///
    /// - Parameters:
    ///   - channel: The device's push channel.
    ///   - tags: The tags that the device subscribes to. The backend adds the user's tag.
    /// - Throws: ``DeviceRegistrationError``; errors of the storage and of the `credential` closure.
    public func register(_ channel: PushChannel, tags: [NotificationHub.Tag] = []) async throws {
        try await limiter.run {
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

    /// Deletes the device's registration and its stored ID.
    ///
    /// Call this function when the user signs out, while the credential is still valid. Without a stored ID, it does
    /// nothing.
    ///
    /// - Throws: ``DeviceRegistrationError``; errors of the storage and of the `credential` closure.
    public func unregister() async throws {
        try await limiter.run {
            guard let id = try await storage.registrationID() else { return }
            do {
                _ = try await backend.send(.delete, "register/\(id)")
            } catch let error as DeviceRegistrationError where [.gone, .forbidden, .notFound].contains(error.code) {
                // The registration no longer exists, or belongs to another user.
            }
            try await storage.setRegistrationID(nil)
        }
    }

    /// Sends a message to all devices of the signed-in user.
    ///
    /// The backend's mode decides whether the devices show the message or fetch it as a secure payload.
    ///
    /// - Throws: ``DeviceRegistrationError``; errors of the `credential` closure. The code `mayHaveBeenDone` means that the
    ///   message may have been sent: sending it again may show it twice.
    public func notifyOwnDevices(_ message: String) async throws {
        _ = try await backend.send(.post, "notifications", body: ["message": .string(message)])
    }

    /// Fetches the payload that a secure push announced.
    ///
    /// The request identifies the device by its registration's ID, if one is stored, because some backends return a
    /// payload to each device only once.
    ///
    /// - Parameter id: The value of `secureId` in the push notification.
    /// - Throws: ``DeviceRegistrationError``, with the code `needsAuthentication` if the user must sign in first (the app then
    ///   shows a generic notification), or `notFound` if the payload has expired or belongs to another user; errors of the
    ///   storage and of the `credential` closure.
    public func securePayload(_ id: Payload.ID) async throws -> Payload {
        let device = try await storage.registrationID()
        let query = device.map { "device=\($0)" } ?? ""
        let payload = try Payload(json: try await backend.send(.get, "notifications/\(id)", query: query))
        guard payload.id == id else {
            throw DeviceRegistrationError(
                .invalidResponse, detail: "the response contains a different payload than requested")
        }
        return payload
    }

    // MARK: Requests

    /// Returns the stored ID, or requests a new one and stores it.
    private func registrationID(for channel: PushChannel) async throws -> Registration.ID {
        if let id = try await storage.registrationID() { return id }
        let (handle, platform) = (channel.text, channel.platform.rawValue)
        let response =
            if sendsHandleInQuery {
                try await backend.send(
                    .post, "register", query: "handle=\(encoded(handle))&platform=\(encoded(platform))")
            } else {
                try await backend.send(
                    .post, "register", body: ["handle": .string(handle), "platform": .string(platform)])
            }
        guard case .string(let text)? = try? JSONValue(parsing: response),
            let id = try? Registration.ID(validating: text)
        else {
            throw DeviceRegistrationError(
                .invalidResponse, detail: "invalid registration ID in response")
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

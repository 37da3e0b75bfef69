public import NotificationHubs

#if canImport(FoundationEssentials)
import struct FoundationEssentials.Date
#else
import struct Foundation.Date
#endif

/// An app backend that registers the devices of authenticated users and sends messages to a user's own devices.
///
/// With secure push, it sends only the IDs of payloads, which the devices fetch. Use it with your own HTTP server: pass each
/// request to ``respond(to:)`` and write the response.
///
/// ```swift
/// let backend = AppBackend(hub: hub, authenticator: AppBackend.BasicAuthenticator { name, password in
///     await accounts.find(name, password)?.name
/// }, mode: .notifyUsers())
/// let response = await backend.respond(to: request)
/// ```
///
/// Create one backend when the program starts. Any number of tasks can use it concurrently.
public struct AppBackend: Sendable {
    /// The limits and the observer.
    public let options: Options

    let hub: NotificationHub
    let mode: Mode
    let now: @Sendable () -> Date
    private let authenticator: any Authenticator

    /// Creates a backend for a hub.
    ///
    /// - Parameters:
    ///   - hub: A client whose key has the rights Listen and Send.
    ///   - authenticator: The authenticator of the users.
    ///   - mode: The kind of notifications to send to a user's own devices.
    ///   - options: The limits and the observer.
    public init(
        hub: NotificationHub, authenticator: some Authenticator, mode: Mode, options: Options = Options()
    ) {
        self.init(hub: hub, authenticator: authenticator, mode: mode, options: options, now: { Date() })
    }

    init(
        hub: NotificationHub, authenticator: some Authenticator, mode: Mode, options: Options = Options(),
        now: @escaping @Sendable () -> Date
    ) {
        self.hub = hub
        self.authenticator = authenticator
        self.mode = mode
        self.options = options
        self.now = now
    }

    /// Handles a request and returns the response.
    ///
    /// An unknown path gets 404, and errors have a JSON body. Only the path and the method are checked before the credentials,
    /// so a caller without valid credentials learns only which routes exist.
    public func respond(to request: Request) async -> Response {
        let start = ContinuousClock.now
        let route = Route(path: request.path)
        var response: Response
        var cause: (any Error)?
        do {
            response = try await handle(request, on: route)
        } catch {
            let requestError = error as? RequestError ?? RequestError(error)
            response = Response(requestError)
            // The failure of a cancelled request is not reported.
            cause = Task.isCancelled ? nil : requestError.cause
        }
        if request.method == "HEAD" { response.body = [] }
        options.observer?(
            Event(
                method: request.method, route: route, status: response.status, duration: .now - start, error: cause))
        return response
    }

    /// Calls the authenticator or the store. All its errors mean that the backend is unavailable, also those of a hub that it uses.
    func external<Result>(_ body: () async throws -> Result) async throws -> Result {
        do {
            return try await body()
        } catch {
            throw RequestError.unavailable(error)
        }
    }

    /// Returns whether a path is one of the backend's routes.
    ///
    /// - Parameter path: The path, percent-encoded, without the query.
    public static func hasRoute(forPath path: String) -> Bool { Route(path: path) != nil }

    private func handle(_ request: Request, on route: Route?) async throws -> Response {
        guard let route else { throw RequestError.notFound }
        guard request.method != "OPTIONS" else { return Response(status: 204, headers: ["Allow": route.allowed]) }
        guard route.allows(request.method) else {
            throw RequestError(405, "method not allowed: expected \(route.allowed)", headers: ["Allow": route.allowed])
        }
        let user: User
        switch try await external({ try await authenticator.authenticate(request.headers["Authorization"]) }) {
        case .user(let authenticated): user = authenticated
        case .refused(let challenge):
            throw RequestError(
                401, "missing or invalid credentials", headers: HubHeaders([("WWW-Authenticate", challenge)]))
        }
        guard !request.isBodyTruncated, request.body.count <= options.maximumBodyByteCount else {
            throw RequestError(413, "the body must have at most \(options.maximumBodyByteCount) bytes")
        }
        switch (route, request.method) {
        case (.registrationIDs, _): return try await registrationID(request, of: user)
        case (.registration(let id), "PUT"): return try await putRegistration(id, request, of: user)
        case (.registration(let id), _): return try await deleteRegistration(id, of: user)
        case (.installation(let id), "PUT"): return try await putInstallation(id, request, of: user)
        case (.installation(let id), _): return try await deleteInstallation(id, of: user)
        case (.notifications, _): return try await notify(request, user)
        case (.notification(let id), let method):
            return try await payload(id, request, of: user, claims: method == "GET")
        }
    }
}

extension AppBackend {
    /// The options of a backend.
    public struct Options: Sendable {
        /// The longest body of a request, in bytes.
        public var maximumBodyByteCount: Int
        /// The message of a `POST /api/notifications` without a body; `nil` to reject such a request.
        ///
        /// The secure push sample sends no body, because its backend creates the payload.
        public var messageWithoutBody: String?
        /// A function that is called for every request, on the task that handles it. It should return quickly.
        public var observer: (@Sendable (Event) -> Void)?

        /// Creates options.
        ///
        /// - Parameters:
        ///   - maximumBodyByteCount: The longest body of a request, in bytes.
        ///   - messageWithoutBody: The message of a `POST /api/notifications` without a body.
        ///   - observer: A function that is called for every request.
        public init(
            maximumBodyByteCount: Int = 64 * 1024, messageWithoutBody: String? = nil,
            observer: (@Sendable (Event) -> Void)? = nil
        ) {
            self.maximumBodyByteCount = maximumBodyByteCount
            self.messageWithoutBody = messageWithoutBody
            self.observer = observer
        }
    }

    /// A handled request, for logs and metrics.
    ///
    /// It does not contain secrets, user names or bodies. Only ``error`` can contain the ID of a device.
    public struct Event: Sendable {
        /// The method and the path, with IDs replaced by `{id}`. The number of different values is small.
        public let route: String
        /// The status of the response.
        public let status: Int
        /// The time from the request to the response.
        public let duration: Duration
        /// The underlying error, if any: a `HubError`, an ``AppBackend/SendError``, or an error of the authenticator or the
        /// store. The response contains only a status and a generic message.
        public let error: (any Error)?

        init(method: String, route: Route?, status: Int, duration: Duration, error: (any Error)?) {
            let isKnown = ["GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS"].contains(method)
            self.route = "\(isKnown ? method : "other") \(route?.template ?? "elsewhere")"
            self.status = status
            self.duration = duration
            self.error = error
        }
    }
}

extension AppBackend: CustomStringConvertible, CustomReflectable {
    /// The hub.
    public var description: String { "AppBackend(\(hub))" }

    /// The hub. The authenticator and the store are omitted, because they may contain secrets.
    public var customMirror: Mirror { Mirror(self, children: ["hub": hub]) }
}

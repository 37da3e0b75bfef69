public import NotificationHubs

#if canImport(FoundationEssentials)
import struct FoundationEssentials.Date
#else
import struct Foundation.Date
#endif

/// An app's backend for push: it registers the devices of its authenticated users, and sends to a user's own devices, either
/// texts or, as secure push, the ids of payloads that the devices fetch.
///
/// It has no HTTP server: whichever you have passes it each request, and writes what comes back.
///
/// ```swift
/// let backend = AppBackend(hub: hub, authenticator: AppBackend.BasicAuthenticator { name, password in
///     await accounts.find(name, password)?.name
/// }, mode: .notifyUsers())
/// let response = await backend.respond(to: request)
/// ```
///
/// Make one when the program starts, and keep it. Any number of tasks may use it at once.
public struct AppBackend: Sendable {
    /// How it behaves.
    public let options: Options

    let hub: NotificationHub
    let mode: Mode
    let now: @Sendable () -> Date
    private let authenticator: any Authenticator

    /// A backend of a hub.
    ///
    /// - Parameters:
    ///   - hub: a client with a key that may listen and send.
    ///   - authenticator: finds out who sends a request.
    ///   - mode: what a message to a user's own devices is.
    ///   - options: limits, and an observer.
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

    /// Answers a request: a path that is none of its own with 404, and whatever fails with an error as JSON.
    ///
    /// Before anything else is looked at, the caller's credentials are: but for what routes there are, nobody learns
    /// anything without them.
    public func respond(to request: Request) async -> Response {
        let route = Route(path: request.path)
        var response: Response
        var failure: (any Error)?
        do {
            response = try await answer(request, on: route)
        } catch {
            let refusal = error as? Refusal ?? Refusal(error)
            response = Response(refusal)
            // Of a request whose sender has left there is nothing to tell.
            failure = Task.isCancelled ? nil : refusal.cause
        }
        if request.method == "HEAD" { response.body = [] }
        options.observer?(
            Event(method: request.method, route: route, status: response.status, failure: failure))
        return response
    }

    /// Whether a path is one of the backend's own, percent-encoded and without its query: of any other, let your server answer.
    public static func hasRoute(_ path: String) -> Bool { Route(path: path) != nil }

    private func answer(_ request: Request, on route: Route?) async throws -> Response {
        guard let route else { throw Refusal.notFound }
        guard request.method != "OPTIONS" else { return Response(status: 204, headers: ["Allow": route.allowed]) }
        guard route.allows(request.method) else {
            throw Refusal(405, "this route takes \(route.allowed)", headers: ["Allow": route.allowed])
        }
        let user: User
        switch try await authenticator.authenticate(request.headers["Authorization"]) {
        case .user(let authenticated): user = authenticated
        case .refused(let challenge):
            throw Refusal(401, "valid credentials are needed", headers: ["WWW-Authenticate": challenge])
        }
        guard let body = request.body, body.count <= options.maximumBodyByteCount else {
            throw Refusal(413, "a body has \(options.maximumBodyByteCount) bytes at most")
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

extension AppBackend: CustomStringConvertible, CustomReflectable {
    /// Which hub it serves.
    public var description: String { "AppBackend(\(hub))" }

    /// Which hub it serves; neither the authenticator nor a store, which may hold secrets.
    public var customMirror: Mirror { Mirror(self, children: ["hub": hub]) }
}

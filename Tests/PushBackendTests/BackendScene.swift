import Foundation
import HubLock
import HubTestSupport
import NotificationHubs
import NotificationHubsEmulator
@testable import PushBackend

/// A backend with an emulated hub and a clock that the test controls.
///
/// Users authenticate with the password `secret of NAME` or, during the first hour, the token `token-of-NAME` (NAME in Base64).
struct BackendScene {
    let emulator: HubEmulator
    /// The transport between the backend and the emulator.
    let interceptor: HubInterceptor
    /// A client that bypasses the backend and the interceptor.
    let hub: NotificationHub
    let backend: AppBackend
    let store: (any SecurePayloadStore)?
    private let clock: Locked<Date>
    private let recordedEvents = Locked<[AppBackend.Event]>([])

    enum Kind: Sendable, CaseIterable {
        case notifyUsers
        case securePush
        case securePushOnce
    }

    /// 2030-01-01T00:00:00Z.
    static let start = Date(timeIntervalSince1970: 1_893_456_000)

    init(_ kind: Kind = .notifyUsers, messageWithoutBody: String? = nil) throws {
        let clock = Locked(Self.start)
        let store = MemoryPayloadStore(ids: .text, limits: .init(countPerUser: 3), now: { clock.withLock { $0 } })
        let mode: AppBackend.Mode =
            switch kind {
            case .notifyUsers: .notifyUsers()
            case .securePush: .securePush(store: store, lifetime: .seconds(60))
            case .securePushOnce: .securePush(store: store, lifetime: .seconds(60), isReadOnce: true)
            }
        try self.init(
            mode: mode, store: kind == .notifyUsers ? nil : store, clock: clock, messageWithoutBody: messageWithoutBody)
    }

    init(mode: AppBackend.Mode, store: (any SecurePayloadStore)? = nil) throws {
        try self.init(mode: mode, store: store, clock: Locked(Self.start), messageWithoutBody: nil)
    }

    private init(
        mode: AppBackend.Mode, store: (any SecurePayloadStore)?, clock: Locked<Date>, messageWithoutBody: String?
    ) throws {
        self.clock = clock
        self.store = store
        emulator = HubEmulator(hubName: "push")
        interceptor = HubInterceptor(emulator)
        let (connectionString, patient) = (
            emulator.connectionString,
            NotificationHub.Options(retry: .never, deadline: .seconds(100_000), attemptTimeout: .seconds(100_000))
        )
        hub = try NotificationHub(
            connectionString: connectionString, hubName: "push", transport: emulator, options: patient)
        let intercepted = try NotificationHub(
            connectionString: connectionString, hubName: "push", transport: interceptor, options: patient)
        let options = AppBackend.Options(messageWithoutBody: messageWithoutBody) { [recordedEvents] event in
            recordedEvents.withLock { $0.append(event) }
        }
        backend = AppBackend(
            hub: intercepted,
            authenticator: Accounts(now: { clock.withLock { $0 } }), mode: mode, options: options,
            now: { clock.withLock { $0 } })
    }

    /// An authenticator for Basic and bearer credentials.
    private struct Accounts: AppBackend.Authenticator {
        let now: @Sendable () -> Date

        func authenticate(_ authorization: String?) async throws -> AppBackend.Authentication {
            let bearer = AppBackend.BearerAuthenticator { token in
                guard now() < start + 3600, token.hasPrefix("token-of-"),
                    let name = Data(base64Encoded: String(token.dropFirst(9)))
                else { return nil }
                return String(decoding: name, as: UTF8.self)
            }
            let basic = AppBackend.BasicAuthenticator { name, password in
                if name == "unreachable" { throw AccountsAreDown() }
                return password.utf8.elementsEqual("secret of \(name)".utf8) ? name : nil
            }
            return authorization?.hasPrefix("Bearer") == true
                ? try await bearer.authenticate(authorization) : try await basic.authenticate(authorization)
        }
    }

    struct AccountsAreDown: Error {}

    /// The events that the observer received.
    var events: [AppBackend.Event] { recordedEvents.withLock { $0 } }

    func advanceClock(by seconds: TimeInterval) {
        clock.withLock { $0 += seconds }
    }

    static func basic(_ name: String, _ password: String) -> String {
        "Basic " + Data("\(name):\(password)".utf8).base64EncodedString()
    }

    static func bearer(_ name: String) -> String {
        "Bearer token-of-" + Data(name.utf8).base64EncodedString()
    }

    /// Sends a request to the backend, without credentials if the user is `nil`.
    ///
    /// - Parameter target: The path and query as in the request line.
    @discardableResult
    func call(
        _ method: String, _ target: String, _ body: String? = nil, as user: String?, headers: HubHeaders = [:]
    ) async -> AppBackend.Response {
        await call(method, target, bytes: body.map { Array($0.utf8) }, as: user, headers: headers)
    }

    @discardableResult
    func call(
        _ method: String, _ target: String, bytes body: [UInt8]?, as user: String?, headers: HubHeaders = [:]
    ) async -> AppBackend.Response {
        var all: HubHeaders = [:]
        if body != nil { all["Content-Type"] = "application/json" }
        // Basic does not allow names with a colon.
        if let user {
            all["Authorization"] = user.contains(":") ? Self.bearer(user) : Self.basic(user, "secret of \(user)")
        }
        for (name, value) in headers { all[name] = value }
        return await backend.respond(to: .init(method: method, target: target, headers: all, body: body ?? []))
    }

    /// Puts an installation of an Apple device for a user.
    @discardableResult
    func putPhone(_ id: String, handle: String = "AB01", as user: String, _ members: String = "") async -> Int {
        await call(
            "PUT", "/api/installations/\(id)",
            #"{"platform":"apns","pushChannel":"\#(handle)"\#(members.isEmpty ? "" : ",")\#(members)}"#, as: user
        ).status
    }

    /// Registers an Apple device for a user.
    @discardableResult
    func register(
        _ id: String, handle: String = "AB01", tags: [String] = [], as user: String
    ) async -> AppBackend.Response {
        let tags = tags.map { "\"\($0)\"" }.joined(separator: ",")
        return await call(
            "PUT", "/api/register/\(id)", #"{"Platform":"apns","Handle":"\#(handle)","Tags":[\#(tags)]}"#, as: user)
    }

    /// Requests an ID for a user's device.
    func newID(_ handle: String? = nil, as user: String) async -> String {
        let response = await call("POST", "/api/register" + (handle.map { "?handle=\($0)" } ?? ""), as: user)
        // The samples' app parses the ID like this.
        return String(response.text.dropFirst().dropLast())
    }

    /// The handles of all deliveries.
    var deliveredHandles: [String] { emulator.deliveries.map(\.pushChannel.handle).sorted() }

    /// Returns the hub's registrations, except those of installations.
    func registrations() async throws -> [Registration.Entry] {
        var entries: [Registration.Entry] = []
        for try await entry in hub.registrations() where entry.installationID == nil { entries.append(entry) }
        return entries.sorted { $0.id < $1.id }
    }

    /// Puts a registration without the backend.
    func put(_ id: String, _ handle: String, tags: [NotificationHub.Tag]) async throws {
        _ = try await hub.putRegistration(
            Registration(pushChannel: PushChannel(platform: .apple, handle: handle), tags: tags),
            id: Registration.ID(validating: id))
    }

    /// Makes the hub respond 410 to an ID.
    func retire(_ id: String) async throws {
        try await put(id, "FFFF", tags: [])
        try await hub.deleteRegistration(Registration.ID(validating: id))
    }
}

extension AppBackend.Response {
    var text: String { String(decoding: body, as: UTF8.self) }

    /// The message of an error response; `nil` if the body is not an error.
    var error: String? {
        guard case .object(let object)? = try? JSONValue(parsing: body), object.members.count == 1,
            case .string(let text)? = object["error"], headers["Content-Type"] == "application/json; charset=utf-8"
        else { return nil }
        return text
    }
}

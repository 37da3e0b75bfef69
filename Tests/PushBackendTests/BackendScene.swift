import Foundation
import HubLock
import NotificationHubs
import NotificationHubsEmulator
@testable import PushBackend

/// A backend of an emulated hub, with a clock that a test turns. Its users are whoever knows the password `secret of NAME`, or
/// has the token `token-of-NAME`, the name in base64, for as long as the clock shows the first hour.
struct BackendScene {
    let emulator: HubEmulator
    /// What stands between the backend and the emulator.
    let way: InterruptedHub
    /// The hub past the backend.
    let hub: NotificationHub
    let backend: AppBackend
    let store: (any SecurePayloadStore)?
    private let clock: Locked<Date>
    private let told = Locked<[AppBackend.Event]>([])

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
            case .notifyUsers: .notifyUsers
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
        way = InterruptedHub(emulator)
        let (connectionString, patient) = (
            emulator.connectionString,
            NotificationHub.Options(retry: .never, deadline: .seconds(100_000), attemptTimeout: .seconds(100_000))
        )
        hub = try NotificationHub(
            connectionString: connectionString, hubName: "push", transport: emulator, options: patient)
        let interrupted = try NotificationHub(
            connectionString: connectionString, hubName: "push", transport: way, options: patient)
        let options = AppBackend.Options(messageWithoutBody: messageWithoutBody) { [told] event in
            told.withLock { $0.append(event) }
        }
        backend = AppBackend(
            hub: interrupted,
            authenticator: Accounts(now: { clock.withLock { $0 } }), mode: mode, options: options,
            now: { clock.withLock { $0 } })
    }

    /// Takes both kinds of credentials.
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

    /// What the observer has been told.
    var events: [AppBackend.Event] { told.withLock { $0 } }

    func wait(_ seconds: TimeInterval) {
        clock.withLock { $0 += seconds }
    }

    static func basic(_ name: String, _ password: String) -> String {
        "Basic " + Data("\(name):\(password)".utf8).base64EncodedString()
    }

    static func bearer(_ name: String) -> String {
        "Bearer token-of-" + Data(name.utf8).base64EncodedString()
    }

    /// The answer to a user's request; of nobody's, if the user is `nil`.
    ///
    /// - Parameter target: path and query as a client writes them.
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
        // A name with a colon is none for Basic.
        if let user {
            all["Authorization"] = user.contains(":") ? Self.bearer(user) : Self.basic(user, "secret of \(user)")
        }
        for (name, value) in headers { all[name] = value }
        return await backend.respond(to: .init(method: method, target: target, headers: all, body: body ?? []))
    }

    /// Puts an installation of Apple's for a user.
    @discardableResult
    func putPhone(_ id: String, handle: String = "AB01", as user: String, _ members: String = "") async -> Int {
        await call(
            "PUT", "/api/installations/\(id)",
            #"{"platform":"apns","pushChannel":"\#(handle)"\#(members.isEmpty ? "" : ",")\#(members)}"#, as: user
        ).status
    }

    /// Registers a device of Apple's for a user.
    @discardableResult
    func register(
        _ id: String, handle: String = "AB01", tags: [String] = [], as user: String
    ) async -> AppBackend.Response {
        let tags = tags.map { "\"\($0)\"" }.joined(separator: ",")
        return await call(
            "PUT", "/api/register/\(id)", #"{"Platform":"apns","Handle":"\#(handle)","Tags":[\#(tags)]}"#, as: user)
    }

    /// An id for a user's device.
    func newID(_ handle: String? = nil, as user: String) async -> String {
        let response = await call("POST", "/api/register" + (handle.map { "?handle=\($0)" } ?? ""), as: user)
        // As the samples' app reads it.
        return String(response.text.dropFirst().dropLast())
    }

    /// Which handles have got something.
    var reached: [String] { emulator.deliveries.map(\.pushChannel.handle).sorted() }

    /// The registrations that the hub has, but those of installations.
    func registrations() async throws -> [Registration.Entry] {
        var entries: [Registration.Entry] = []
        for try await entry in hub.registrations() where entry.installationID == nil { entries.append(entry) }
        return entries.sorted { $0.id < $1.id }
    }

    /// Puts a registration past the backend.
    func put(_ id: String, _ handle: String, tags: [NotificationHub.Tag]) async throws {
        _ = try await hub.putRegistration(
            Registration(pushChannel: PushChannel(platform: .apple, handle: handle), tags: tags),
            id: Registration.ID(validating: id))
    }

    /// Has the hub say of an id that it is of no use.
    func retire(_ id: String) async throws {
        try await put(id, "FFFF", tags: [])
        try await hub.deleteRegistration(Registration.ID(validating: id))
    }
}

extension AppBackend.Response {
    var text: String { String(decoding: body, as: UTF8.self) }

    /// What an error says; `nil` if the body is none.
    var error: String? {
        guard case .object(let object)? = try? JSONValue(parsing: body), object.members.count == 1,
            case .string(let text)? = object["error"], headers["Content-Type"] == "application/json; charset=utf-8"
        else { return nil }
        return text
    }
}

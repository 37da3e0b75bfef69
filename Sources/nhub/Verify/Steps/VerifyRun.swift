import HubLock
import NotificationHubs
import SharedAccessSignature

#if canImport(FoundationEssentials)
import struct FoundationEssentials.Date
#else
import struct Foundation.Date
#endif

/// One run of the steps against one hub.
struct VerifyRun: Sendable {
    let hub: NotificationHub
    let names: VerifyNames
    let transport: VerifyTransport
    let scope: VerifyScope
    /// The container for an export; `nil` to skip the export.
    let container: NotificationHub.StorageURL?
    /// The longest wait for a write to become visible, and the time between two polls.
    let patience: Patience
    /// The time at which an installation of the run expires, in whole seconds.
    let expiry: Date
    private let connection: ConnectionString
    private let memory = Locked(Memory())

    /// The waits of a run.
    struct Patience: Sendable {
        var limit = Duration.seconds(60)
        var interval = Duration.milliseconds(500)
    }

    /// The values that later steps need of earlier ones.
    struct Memory: Sendable {
        var rights: [VerifyStep.Right: Bool] = [:]
        var registrations: [String: Registration.Entry] = [:]
        var registrationID: Registration.ID?
        var notifications: [String: PushNotification.ID] = [:]
    }

    init(
        connection: ConnectionString, hub name: NotificationHub.Name, names: VerifyNames,
        transport base: any HubTransport, container: NotificationHub.StorageURL? = nil, patience: Patience = Patience(),
        options: NotificationHub.Options = .init()
    ) throws {
        scope = VerifyScope(names, of: name, at: connection.endpoint, allowsExport: container != nil)
        transport = VerifyTransport(base, scope)
        hub = try NotificationHub(
            connection: connection, hubName: name.rawValue, transport: transport, options: options)
        expiry = Date(timeIntervalSince1970: Date().timeIntervalSince1970.rounded() + 3600)
        (self.names, self.connection, self.container, self.patience) = (names, connection, container, patience)
    }

    /// Returns a value that an earlier step stored.
    func recall<Value: Sendable>(_ value: (Memory) -> Value?) throws -> Value {
        guard let value = memory.withLock({ value($0) }) else { throw StepFailure("a required step failed") }
        return value
    }

    func remember(_ change: (inout Memory) -> Void) { memory.withLock(change) }

    /// The rights of the key's policy, as far as they are known.
    var rights: [VerifyStep.Right: Bool] { memory.withLock(\.rights) }

    // MARK: Requests that the client does not send

    /// The credential of a request.
    enum Credential: Sendable {
        case valid
        case none
        case wrongKey
        case expired
    }

    /// Sends a request as it is, and returns any response.
    ///
    /// - Parameters:
    ///   - path: The percent-encoded path below the hub.
    ///   - query: The query without `api-version`; `nil` to omit that, too.
    func send(
        _ method: HubRequest.Method, _ path: String, query: String? = "", headers: HubHeaders = [:], body: String = "",
        as credential: Credential = .valid
    ) async throws -> HubResponse {
        var headers = headers
        headers["Authorization"] = try token(credential)?.headerValue
        let items = query.map { ["api-version=\(NotificationHub.apiVersion)"] + ($0.isEmpty ? [] : [$0]) } ?? []
        let request = HubRequest(
            method, endpoint: hub.endpoint, path: "/\(hub.name)\(path)", query: items.joined(separator: "&"),
            headers: headers, body: Array(body.utf8))
        var response = try await transport.send(request, timeout: .seconds(15))
        for _ in 0..<3 where VerifyTransport.isRetried(response) {
            let delay = response.headers["Retry-After"].flatMap { Int($0) } ?? 1
            guard delay <= 15 else { throw StepFailure("the hub asks to wait for \(delay) s (\(response.status))") }
            try await Task.sleep(for: .seconds(max(0, delay)))
            response = try await transport.send(request, timeout: .seconds(15))
        }
        return response
    }

    private func token(_ credential: Credential) throws -> SASToken? {
        let resource = try hub.endpoint.hubResource(named: hub.name.rawValue)
        switch (credential, connection.credential) {
        case (.none, _): return nil
        case (.valid, .token(let token)): return token
        case (.valid, .key(let key)): return SASSigner(key: key, resource: resource).token(validFor: .seconds(600))
        case (.expired, .key(let key)): return SASSigner(key: key, resource: resource).token(expiringAt: 1_600_000_000)
        case (.expired, .token): throw StepSkipped("needs a key: the connection string has a token")
        case (.wrongKey, .key(let key)): return wrong(key.name, resource)
        case (.wrongKey, .token): return wrong("verify", resource)
        }
    }

    private func wrong(_ name: String, _ resource: String) -> SASToken {
        SASSigner(
            key: SharedAccessKey(name: name, secret: NotificationHub.AccessPolicy.randomKey()), resource: resource
        )
        .token(validFor: .seconds(600))
    }

    // MARK: Expectations

    /// Polls until a look returns a value, because the hub applies writes later.
    ///
    /// The look returns `nil`, or throws ``HubError`` with the code `notFound`, as long as the write is not visible.
    func eventually<Value>(_ what: String, _ look: () async throws -> Value?) async throws -> Value {
        let start = ContinuousClock.now
        let mark = transport.mark
        while true {
            do {
                if let value = try await look() { return value }
            } catch let error as HubError where error.code == .notFound && !error.isMissingHub {}
            guard ContinuousClock.now - start < patience.limit else {
                throw StepFailure("\(what) did not take effect within \(patience.limit.components.seconds) s")
            }
            try await Task.sleep(for: patience.interval)
            transport.forget(after: mark)
        }
    }

    /// Checks that a call fails with one of the codes.
    func expect(_ codes: HubError.Code..., from call: () async throws -> Void) async throws {
        do {
            try await call()
        } catch let error as HubError where codes.contains(error.code) {
            return
        }
        throw StepFailure(
            "expected the error \(codes.map(\.rawValue).joined(separator: " or ")), but the call succeeded")
    }
}

/// An unexpected result of a step.
struct StepFailure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}

/// A step that does not apply to the hub or the key.
struct StepSkipped: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}

/// Checks that two values are equal.
func expect<Value: Equatable>(_ name: String, _ value: Value, _ expected: Value) throws {
    guard value == expected else { throw StepFailure("\(name) is \(value), expected \(expected)") }
}

extension HubResponse {
    /// Checks the status.
    func expect(_ statuses: Int...) throws {
        guard !statuses.contains(status) else { return }
        throw StepFailure(
            "expected status \(statuses.map(String.init).joined(separator: " or ")), but the hub returned \(status)")
    }
}

import Foundation
import HubLock
import NotificationHubs
import NotificationHubsEmulator
import SharedAccessSignature
import Testing

/// An emulated hub named `push`, with a clock that the test controls.
struct Scene {
    let emulator: HubEmulator
    private let clock: Locked<Date>
    static let endpoint = "http://127.0.0.1:8080"
    /// 2030-01-01T00:00:00Z.
    static let start = Date(timeIntervalSince1970: 1_893_456_000)

    init(
        options: HubEmulator.Options = .init(profile: .service2022),
        policies: [HubEmulator.AccessPolicy] = HubEmulator.AccessPolicy.defaults(),
        memory: MemoryBudget = MemoryBudget()
    ) throws {
        let clock = Locked(Self.start)
        self.clock = clock
        emulator = HubEmulator(
            hubName: "push", policies: policies, options: options, memory: memory,
            now: { clock.withLock { $0 } })
    }

    init(tier: HubEmulator.Tier) throws {
        try self.init(options: .init(tier: tier))
    }

    var now: Date { clock.withLock { $0 } }

    /// Advances the clock.
    func wait(_ seconds: TimeInterval) {
        clock.withLock { $0 += seconds }
    }

    /// Returns a token that is signed with the key of one of the hub's policies.
    func token(policy: Int = 0, resource: String = Self.endpoint + "/push") -> String {
        let policy = emulator.policies[policy]
        return SASSigner(key: SharedAccessKey(name: policy.name, secret: policy.key), resource: resource)
            .token(expiringAt: Int64(now.timeIntervalSince1970) + 60).headerValue
    }

    /// Sends a request and returns the response. Without `authorization`, the first policy signs the token.
    @discardableResult
    func call(
        _ method: HubRequest.Method, _ path: String, _ query: String = "api-version=2020-06",
        _ headers: HubHeaders = [:], _ body: String = "", authorization: String? = nil
    ) throws -> HubResponse {
        var headers = headers
        headers["Authorization"] = authorization ?? token()
        return emulator.respond(
            to: HubRequest(
                method, endpoint: try ServiceEndpoint(Self.endpoint, isDevelopmentEmulator: true), path: "/push" + path,
                query: query, headers: headers, body: Array(body.utf8)))
    }

    @discardableResult
    func put(_ json: String, id: String = "phone") throws -> HubResponse {
        try call(.put, "/installations/\(id)", "api-version=2020-06", ["Content-Type": "application/json"], json)
    }

    /// Puts an installation, by default for an Apple device, with additional JSON members.
    @discardableResult
    func putPhone(_ members: String = "", id: String = "phone", platform: String = "apns") throws -> HubResponse {
        let rest = members.isEmpty ? "" : "," + members
        return try put(
            "{\"installationId\":\"\(id)\",\"platform\":\"\(platform)\",\"pushChannel\":\"AB01\"\(rest)}", id: id)
    }

    /// Returns an installation's JSON.
    func get(_ id: String = "phone") throws -> String {
        let response = try call(.get, "/installations/\(id)")
        #expect(response.status == 200)
        return response.text
    }

    func patch(_ operations: String, id: String = "phone") throws -> HubResponse {
        try call(
            .patch, "/installations/\(id)", "api-version=2020-06", ["Content-Type": "application/json-patch+json"],
            operations)
    }

    /// Sends a message, by default a template message.
    @discardableResult
    func send(
        _ body: String = "{}", format: String = "template", tags: String? = nil, query: String = "api-version=2020-06",
        path: String = "/messages", _ headers: HubHeaders = [:]
    ) throws -> HubResponse {
        var all: HubHeaders = ["Content-Type": "application/json", "ServiceBusNotification-Format": format]
        all["ServiceBusNotification-Tags"] = tags
        for (name, value) in headers { all[name] = value }
        return try call(.post, path, query, all, body)
    }

    /// Returns the recipients of the deliveries after a number of deliveries, such as `phone`, `phone/template` or
    /// `handle AB01`.
    func reached(after count: Int = 0) -> [String] {
        emulator.deliveries.dropFirst(count).map { delivery in
            (delivery.installationID?.rawValue ?? "handle \(delivery.pushChannel.handle)")
                + (delivery.templateName.map { "/\($0)" } ?? "")
        }
    }
}

extension HubResponse {
    var text: String { String(decoding: body, as: UTF8.self) }

    /// The last path segment of `Location`.
    var id: String {
        headers["Location"]?.split(separator: "?").first?.split(separator: "/").last.map(String.init) ?? ""
    }
}

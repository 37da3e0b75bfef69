import HubServer
import NotificationHubsEmulator
import HubText
import NotificationHubs

/// The control API below `/$emulator/`: deliveries, hub contents, faults, and a page that shows them.
struct ControlAPI: Sendable {
    let namespace: Namespace
    /// The access rules.
    let access: ControlAccess
    /// The server's requests, except those to this API.
    let requestLog: RequestLog

    static let prefix = BlobAddress.prefix

    /// The served hubs. A request may omit the hub's name if there is only one.
    var hubs: [HubEmulator] { namespace.hubs }

    /// Returns the action for a request to a path below the prefix.
    func handle(_ request: HTTPRequest, at path: String) -> HTTPAction {
        do {
            return try route(request, at: path)
        } catch {
            return .respond(error.response)
        }
    }

    private struct Route: Sendable {
        typealias Handler = @Sendable (ControlAPI, HTTPRequest) throws(ControlError) -> HTTPAction

        let method: String
        /// The path below the prefix. A path that ends with a slash also matches all paths below it.
        let path: String
        /// Whether the route needs no token. Its responses contain no secrets.
        var isOpen = false
        let handler: Handler

        func matches(_ path: String) -> Bool {
            self.path.hasSuffix("/") ? path.hasPrefix(self.path) : path == self.path
        }
    }

    private static let routes = [
        // A browser loads the page before the user can enter the token.
        Route(method: "GET", path: "", isOpen: true) { _, _ in .respond(Page.response) },
        Route(method: "GET", path: "health", isOpen: true) { _, _ in .respond(.json(["status": .string("ok")])) },
        Route(method: "GET", path: "hubs") { api, _ in .respond(api.hubsResponse()) },
        Route(method: "GET", path: "requests") { api, request throws(ControlError) in
            try api.requests(QueryString(request.query))
        },
        Route(method: "GET", path: "deliveries") { api, request throws(ControlError) in
            try api.deliveries(QueryString(request.query))
        },
        Route(method: "GET", path: "deliveries/") { api, request throws(ControlError) in
            .respond(
                try api.simulatorPush(
                    request.path.split(separator: "/").last.map(String.init) ?? "", QueryString(request.query)))
        },
        Route(method: "GET", path: "installations") { api, request throws(ControlError) in
            .respond(try api.installations(QueryString(request.query)))
        },
        Route(method: "GET", path: "registrations") { api, request throws(ControlError) in
            .respond(try api.registrations(QueryString(request.query)))
        },
        Route(method: "GET", path: "scheduled") { api, request throws(ControlError) in
            .respond(try api.scheduled(QueryString(request.query)))
        },
        Route(method: "GET", path: "warnings") { api, request throws(ControlError) in
            .respond(try api.warnings(QueryString(request.query)))
        },
        Route(method: "GET", path: "updates") { api, request throws(ControlError) in
            try api.updates(QueryString(request.query))
        },
        Route(method: "GET", path: "connection") { api, request throws(ControlError) in
            .respond(try api.connection(request))
        },
        Route(method: "GET", path: "faults") { api, _ in .respond(api.faultsResponse()) },
        Route(method: "PUT", path: "faults") { api, request throws(ControlError) in
            .respond(try api.setFaults(request.body))
        },
        Route(method: "GET", path: "snapshot") { api, _ in .respond(api.snapshotResponse()) },
        Route(method: "PUT", path: "snapshot") { api, request throws(ControlError) in
            .respond(try api.restore(request.body))
        },
        Route(method: "POST", path: "reset") { api, request throws(ControlError) in
            .respond(try api.reset(request.body))
        },
        Route(method: "POST", path: "containers") { api, request throws(ControlError) in
            .respond(try api.makeContainer(request))
        },
        Route(method: "POST", path: "expire") { api, request throws(ControlError) in
            .respond(try api.expire(request.body))
        },
        Route(method: "POST", path: "send") { api, request throws(ControlError) in
            .respond(try api.send(request.body))
        },
    ]

    private func route(_ request: HTTPRequest, at path: String) throws(ControlError) -> HTTPAction {
        if let error = access.hostError(for: request) { throw error }
        let method = request.method == "HEAD" ? "GET" : request.method
        let matching = Self.routes.filter { $0.matches(path) }
        let route = matching.first { $0.method == method }
        if let route, route.isOpen { return try route.handler(self, request) }
        if let error = access.tokenError(for: request) { throw error }
        if method != "GET", let error = access.originError(for: request) { throw error }
        if let route { return try route.handler(self, request) }
        throw matching.isEmpty
            ? ControlError(404, "unknown path below \(Self.prefix)/")
            : ControlError(405, "unsupported method \(request.method) for \(Self.prefix)/\(path)")
    }

    /// Returns the hub with the given name, or the only hub if the name is `nil`.
    func hub(_ name: String?) throws(ControlError) -> HubEmulator {
        let hubs = hubs
        guard let name else {
            guard hubs.count == 1 else { throw ControlError(400, "missing hub: the emulator serves several hubs") }
            return hubs[0]
        }
        guard let hub = hubs.named(name) else { throw ControlError(404, "unknown hub") }
        return hub
    }
}

/// An error response of the control API.
struct ControlError: Error {
    let status: Int
    let reason: String
    var headers: HTTPFields = [:]

    init(_ status: Int, _ reason: String) {
        self.status = status
        self.reason = reason
    }

    var response: HTTPResponse {
        var response = HTTPResponse.json(["error": .string(reason)], status: status)
        for (name, value) in headers { response.headers[name] = value }
        return response
    }
}

extension HTTPResponse {
    /// Returns a JSON response that browsers do not sniff and caches do not store.
    static func json(_ object: JSONObject, status: Int = 200) -> HTTPResponse {
        json(bytes: JSONValue.object(object).bytes, status: status)
    }

    static func json(bytes: [UInt8], status: Int = 200) -> HTTPResponse {
        HTTPResponse(
            status: status,
            headers: [
                "Content-Type": "application/json; charset=utf-8", "Cache-Control": "no-store",
                "X-Content-Type-Options": "nosniff",
            ], body: bytes)
    }

    static func redirect(to path: String) -> HTTPResponse {
        HTTPResponse(status: 308, headers: ["Location": path])
    }
}

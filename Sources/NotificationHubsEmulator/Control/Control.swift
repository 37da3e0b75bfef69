import HubText
import NotificationHubs

/// What stands below `/$emulator/`: what hubs have delivered, what they hold, their faults, and a page that shows all of it.
struct Control: Sendable {
    /// The hubs, the first of which is meant where a request names none.
    let hubs: [HubEmulator]
    /// Who may ask.
    let access: ControlAccess

    static let prefix = BlobAddress.prefix

    /// The answer to a request, or `nil` if it is none of the control's. Blobs are the hub's: what opens a container is
    /// asked for there, and no control token, which clients of storage do not know.
    func answer(_ request: HTTPRequest) -> HTTPAnswer? {
        let path = request.path
        if BlobAddress(path: path, query: request.query) != nil { return nil }
        // Some clients encode the dollar sign, which they need not.
        for prefix in [Self.prefix, "/%24emulator"] where path.lowercased().hasPrefix(prefix) {
            let rest = path.dropFirst(prefix.count)
            if rest.isEmpty { return .response(.redirect(to: Self.prefix + "/")) }
            if rest.first == "/" {
                do {
                    return try answer(request, at: String(rest.dropFirst()))
                } catch {
                    return .response(error.response)
                }
            }
        }
        return nil
    }

    private struct Route: Sendable {
        typealias Handler = @Sendable (Control, HTTPRequest) throws(ControlError) -> HTTPAnswer

        let method: String
        /// The path below the prefix. What ends with a slash takes all paths below it.
        let path: String
        /// Whether anyone may ask: for what holds no secret.
        var isOpen = false
        let handler: Handler

        func matches(_ path: String) -> Bool {
            self.path.hasSuffix("/") ? path.hasPrefix(self.path) : path == self.path
        }
    }

    private static let routes = [
        // A page cannot bring a token before it is there.
        Route(method: "GET", path: "", isOpen: true) { _, _ in .response(Page.response) },
        Route(method: "GET", path: "health", isOpen: true) { _, _ in .response(.json(["status": .string("ok")])) },
        Route(method: "GET", path: "hubs") { control, _ in .response(control.hubsResponse()) },
        Route(method: "GET", path: "deliveries") { control, request throws(ControlError) in
            try control.deliveries(QueryString(request.query))
        },
        Route(method: "GET", path: "deliveries/") { control, request throws(ControlError) in
            .response(
                try control.simulatorPush(
                    request.path.split(separator: "/").last.map(String.init) ?? "", QueryString(request.query)))
        },
        Route(method: "GET", path: "installations") { control, request throws(ControlError) in
            .response(try control.installations(QueryString(request.query)))
        },
        Route(method: "GET", path: "registrations") { control, request throws(ControlError) in
            .response(try control.registrations(QueryString(request.query)))
        },
        Route(method: "GET", path: "warnings") { control, request throws(ControlError) in
            .response(try control.warnings(QueryString(request.query)))
        },
        Route(method: "GET", path: "news") { control, request throws(ControlError) in
            try control.news(QueryString(request.query))
        },
        Route(method: "GET", path: "faults") { control, _ in .response(control.faultsResponse()) },
        Route(method: "PUT", path: "faults") { control, request throws(ControlError) in
            .response(try control.setFaults(request.body))
        },
        Route(method: "POST", path: "reset") { control, request throws(ControlError) in
            .response(try control.reset(request.body))
        },
        Route(method: "POST", path: "containers") { control, request throws(ControlError) in
            .response(try control.makeContainer(request))
        },
        Route(method: "POST", path: "expire") { control, request throws(ControlError) in
            .response(try control.expire(request.body))
        },
        Route(method: "POST", path: "send") { control, request throws(ControlError) in
            .response(try control.send(request.body))
        },
    ]

    private func answer(_ request: HTTPRequest, at path: String) throws(ControlError) -> HTTPAnswer {
        if let refusal = access.refusalOfHost(request) { throw refusal }
        let method = request.method == "HEAD" ? "GET" : request.method
        let matching = Self.routes.filter { $0.matches(path) }
        let route = matching.first { $0.method == method }
        if let route, route.isOpen { return try route.handler(self, request) }
        if let refusal = access.refusalOfToken(request) { throw refusal }
        if method != "GET", let refusal = access.refusalOfChange(request) { throw refusal }
        if let route { return try route.handler(self, request) }
        throw matching.isEmpty
            ? ControlError(404, "nothing is here; see \(Self.prefix)/")
            : ControlError(405, "\(Self.prefix)/\(path) does not take \(request.method)")
    }

    /// The hub that a request names, or the only one.
    func hub(_ name: String?) throws(ControlError) -> HubEmulator {
        guard let name else {
            guard hubs.count == 1 else { throw ControlError(400, "there are several hubs: say which one by \"hub\"") }
            return hubs[0]
        }
        guard let hub = hubs.named(name) else { throw ControlError(404, "there is no such hub") }
        return hub
    }
}

/// Why a request to the control is refused.
struct ControlError: Error {
    let status: Int
    let reason: String
    var headers: HubHeaders = [:]

    init(_ status: Int, _ reason: String) {
        self.status = status
        self.reason = reason
    }

    var response: HubResponse {
        var response = HubResponse.json(["error": .string(reason)], status: status)
        for (name, value) in headers { response.headers[name] = value }
        return response
    }
}

extension HubResponse {
    /// A response of JSON that no browser takes for anything else, and nobody keeps.
    static func json(_ object: JSONObject, status: Int = 200) -> HubResponse {
        json(bytes: JSONValue.object(object).bytes, status: status)
    }

    static func json(bytes: [UInt8], status: Int = 200) -> HubResponse {
        HubResponse(
            status: status,
            headers: [
                "Content-Type": "application/json; charset=utf-8", "Cache-Control": "no-store",
                "X-Content-Type-Options": "nosniff",
            ], body: bytes)
    }

    fileprivate static func redirect(to path: String) -> HubResponse {
        HubResponse(status: 308, headers: ["Location": path])
    }
}

import HubText
import NotificationHubs

/// What stands below `/$emulator/`: what hubs have delivered, what they hold, their faults, and a page that shows all of it.
struct Control: Sendable {
    /// The hubs, the first of which is meant where a request names none.
    let hubs: [HubEmulator]
    /// Who may ask.
    let access: ControlAccess

    static let prefix = "/$emulator"

    /// The answer to a request, or `nil` if it is none of the control's.
    func answer(_ request: HTTPRequest) -> HTTPAnswer? {
        let path = request.path
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

    private func answer(_ request: HTTPRequest, at path: String) throws(ControlError) -> HTTPAnswer {
        // The hub asks for what opens a container, and for nothing else: clients of storage know no token.
        if let address = BlobAddress(path: request.path, query: request.query) {
            return (hubs.named(address.hubName) ?? hubs[0]).answer(request)
        }
        if let refusal = access.refusalOfHost(request) { throw refusal }
        let reads = ["GET", "HEAD"].contains(request.method)
        switch (path, reads) {
        // Neither holds a secret, and a page cannot bring a token before it is there.
        case ("", true): return .response(Page.response)
        case ("health", true): return .response(.json(["status": .string("ok")]))
        default: break
        }
        if let refusal = access.refusalOfToken(request) { throw refusal }
        if !reads, let refusal = access.refusalOfChange(request) { throw refusal }
        let query = QueryString(request.query)
        switch (path, request.method) {
        case ("hubs", _) where reads: return .response(hubsResponse())
        case ("deliveries", _) where reads: return try deliveries(query)
        case (let path, _) where reads && path.hasPrefix("deliveries/"):
            return .response(try simulatorPush(String(path.dropFirst("deliveries/".count)), query))
        case ("installations", _) where reads: return .response(try installations(query))
        case ("registrations", _) where reads: return .response(try registrations(query))
        case ("warnings", _) where reads: return .response(try warnings(query))
        case ("news", _) where reads: return try news(query)
        case ("faults", _) where reads: return .response(faultsResponse())
        case ("faults", "PUT"): return .response(try setFaults(request.body))
        case ("reset", "POST"): return .response(try reset(request.body))
        case ("containers", "POST"): return .response(try makeContainer(request))
        case ("expire", "POST"): return .response(try expire(request.body))
        case ("send", "POST"): return .response(try send(request.body))
        case ("", _), ("health", _), ("hubs", _), ("deliveries", _), ("installations", _), ("registrations", _),
            ("warnings", _), ("news", _), ("faults", _), ("reset", _), ("containers", _), ("expire", _), ("send", _):
            throw ControlError(405, "\(Self.prefix)/\(path) does not take \(request.method)")
        default: throw ControlError(404, "nothing is here; see \(Self.prefix)/")
        }
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
    static func json(_ object: NotificationHub.JSONObject, status: Int = 200) -> HubResponse {
        json(bytes: NotificationHub.JSONValue.object(object).bytes, status: status)
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

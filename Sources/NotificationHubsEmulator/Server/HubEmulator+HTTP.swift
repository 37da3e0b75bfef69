import NotificationHubs
import SharedAccessSignature

extension HubEmulator {
    /// Answers a request that came by HTTP. HEAD is answered as GET; the server leaves the body out.
    /// ``faults`` apply.
    func answer(_ request: HTTPRequest) -> HTTPAnswer {
        guard let method = HubRequest.Method.known(request.method == "HEAD" ? "GET" : request.method) else {
            var response = ServiceResponse.error(status: 405, "the method is not served", now: now())
            response.headers["Allow"] = "GET, HEAD, PUT, POST, PATCH, DELETE"
            return .response(response)
        }
        guard let host = request.headers["Host"],
            let endpoint = try? ServiceEndpoint("http://\(host)", isDevelopmentEmulator: true)
        else {
            return .response(ServiceResponse.error(status: 400, "the header Host is missing or not valid", now: now()))
        }
        let hubRequest = HubRequest(
            method, endpoint: endpoint, path: request.path, query: request.query, headers: request.headers,
            body: request.body)
        guard let fault = fault(for: hubRequest) else { return .response(respond(to: hubRequest)) }
        return fault.answer(self) { self.respond(to: hubRequest) }
    }
}

extension HubEmulator.Fault {
    /// What becomes of a request on a connection.
    ///
    /// - Parameters:
    ///   - hub: the hub that it is for.
    ///   - respond: carries the request out.
    func answer(_ hub: HubEmulator, _ respond: @escaping @Sendable () -> HubResponse) -> HTTPAnswer {
        let answer = { @Sendable () -> HTTPAnswer in
            switch effect {
            case nil:
                return .response(respond())
            case .status(let status, let retryAfter):
                return .response(hub.response(status: status, retryAfter: retryAfter))
            case .stall:
                // Longer than any client waits.
                return .stall(.seconds(3600)) { .reset }
            case .resetBefore:
                return .reset
            case .resetAfter:
                _ = respond()
                return .reset
            }
        }
        return latency > .zero ? .stall(latency, then: answer) : answer()
    }
}

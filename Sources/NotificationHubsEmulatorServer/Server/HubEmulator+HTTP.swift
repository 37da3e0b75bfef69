import HubServer
import NotificationHubsEmulator
import NotificationHubs
import SharedAccessSignature

extension HubEmulator {
    /// Handles a request that arrived over HTTP, and applies ``faults``. HEAD is handled as GET; the server omits the body.
    func handle(_ request: HTTPRequest, behind proxy: ServiceEndpoint? = nil) -> HTTPAction {
        guard let method = HubRequest.Method.known(request.method == "HEAD" ? "GET" : request.method) else {
            var response = ServiceResponse.error(status: 405, "Unsupported method; see the Allow header", now: now())
            response.headers["Allow"] = "GET, HEAD, PUT, POST, PATCH, DELETE"
            return .respond(HTTPResponse(response))
        }
        guard let endpoint = request.endpoint(behind: proxy) else {
            return .respond(
                HTTPResponse(ServiceResponse.error(status: 400, "Missing or invalid Host header", now: now())))
        }
        let anyRequest = HubRequest(request, method, endpoint: endpoint)
        // The signature of a storage request includes the method.
        let hubRequest =
            isForStorage(anyRequest)
            ? HubRequest(request, HubRequest.Method(rawValue: request.method), endpoint: endpoint) : anyRequest
        guard let fault = fault(for: hubRequest) else { return .respond(HTTPResponse(respond(to: hubRequest))) }
        return fault.action(for: self) { self.respond(to: hubRequest) }
    }
}

extension HubEmulator.Fault {
    /// Returns the server's action for a request on which the fault triggers.
    ///
    /// - Parameters:
    ///   - hub: The hub that receives the request.
    ///   - respond: Performs the request and returns its response.
    func action(
        for hub: HubEmulator, performing respond: @escaping @Sendable () -> HubResponse
    ) -> HTTPAction {
        let action = { @Sendable () -> HTTPAction in
            switch effect {
            case nil:
                return .respond(HTTPResponse(respond()))
            case .status(let status, let retryAfter):
                return .respond(HTTPResponse(hub.response(status: status, retryAfter: retryAfter)))
            case .stall:
                // Longer than any client's timeout.
                return .delay(.seconds(3600)) { .reset }
            case .resetBefore:
                return .reset
            case .resetAfter:
                _ = respond()
                return .reset
            }
        }
        return latency > .zero ? .delay(latency, then: action) : action()
    }
}

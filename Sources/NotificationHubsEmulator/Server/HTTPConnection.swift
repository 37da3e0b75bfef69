import NotificationHubs
import SharedAccessSignature

/// Answers the requests of one connection, one after the other, as long as the client keeps it open.
struct HTTPConnection {
    let socket: Socket
    let emulator: HubEmulator

    /// After how many seconds without a byte a client is dropped.
    private static let timeoutSeconds = 60

    func serve() {
        var parser = HTTPRequestParser()
        do {
            try socket.setTimeout(seconds: Self.timeoutSeconds)
            while true {
                let bytes = try socket.receive()
                guard !bytes.isEmpty else { return }
                parser.append(bytes)
                while let request = try parser.next() {
                    let closing = !request.keepsAlive || request.method == "HEAD"
                    let withBody = request.method != "HEAD"
                    try socket.send(
                        HTTPResponseWriter.bytes(of: respond(to: request), closing: closing, withBody: withBody))
                    if closing { return }
                }
                if parser.expectsContinue() { try socket.send(Array("HTTP/1.1 100 Continue\r\n\r\n".utf8)) }
            }
        } catch let error as HTTPRequestError {
            let response = ServiceResponse.error(status: error.status, error.reason)
            try? socket.send(HTTPResponseWriter.bytes(of: response, closing: true))
        } catch {
            // The peer is gone: there is nobody to tell.
        }
    }

    private func respond(to request: HTTPRequest) -> HubResponse {
        guard let method = HubRequest.Method(rawValue: request.method) else {
            return ServiceResponse.error(status: 405, "the method is not served")
        }
        guard let host = request.headers["Host"],
            let endpoint = try? ServiceEndpoint("http://\(host)", isDevelopmentEmulator: true)
        else {
            return ServiceResponse.error(status: 400, "the header Host is missing or not valid")
        }
        return emulator.respond(
            to: HubRequest(
                method, endpoint: endpoint, path: request.path, query: request.query, headers: request.headers,
                body: request.body))
    }
}

import HubServer
import HubText
import NotificationHubs
import SharedAccessSignature

extension HTTPRequest {
    /// Returns the endpoint that the client used, for the URLs in responses; `nil` if the `Host` header is missing or invalid.
    ///
    /// Forwarded headers are ignored, because any client can send them.
    ///
    /// - Parameter proxy: The endpoint of the proxy in front of the server, if there is one.
    func endpoint(behind proxy: ServiceEndpoint?) -> ServiceEndpoint? {
        if let proxy { return proxy }
        guard let host = headers["Host"] else { return nil }
        return try? ServiceEndpoint("\(isSecure ? "https" : "http")://\(host)", isDevelopmentEmulator: !isSecure)
    }
}

extension HubRequest {
    /// Creates the request that arrived over HTTP.
    init(_ request: HTTPRequest, _ method: Method, endpoint: ServiceEndpoint) {
        self.init(
            method, endpoint: endpoint, path: request.path, query: request.query, headers: HubHeaders(request.headers),
            body: request.body)
    }
}

extension HTTPResponse {
    /// Creates the response of a hub.
    ///
    /// For a rejected token, the reason phrase is the error's text, such as `40103: Invalid authorization token signature`, as in
    /// the service's HTTP/1.1 front end.
    init(_ response: HubResponse) {
        self.init(
            status: response.status, reason: response.status == 401 ? Self.subcode(response.body) : nil,
            headers: response.headers.fields, body: response.body)
    }

    /// Returns the text of an error's XML if it starts with the subcode of a rejected token.
    private static func subcode(_ body: [UInt8]) -> String? {
        guard let start = body.firstRange(of: Array("<Detail>401".utf8)) else { return nil }
        let detail = body[start.lowerBound...].dropFirst("<Detail>".utf8.count)
        guard let end = detail.firstRange(of: Array(".TrackingId:".utf8)) else { return nil }
        let text = detail[..<end.lowerBound]
        // Only printable ASCII, so that the text cannot break the line, and no XML escapes.
        guard text.count <= 200, text.allSatisfy({ 0x20..<0x7f ~= $0 && $0 != UInt8(ascii: "&") }) else { return nil }
        return String(decoding: text, as: UTF8.self)
    }
}

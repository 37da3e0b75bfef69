import NotificationHubs

/// Writes responses as they stand on the wire (RFC 9112).
enum HTTPResponseWriter {
    /// - Parameters:
    ///   - closing: whether the connection is closed behind it.
    ///   - withBody: whether the body is sent, and not only its length; that of HEAD is not.
    static func bytes(of response: HubResponse, closing: Bool, withBody: Bool = true) -> [UInt8] {
        var head = "HTTP/1.1 \(response.status) \(reasonPhrase(response.status))\r\n"
        for (name, value) in response.headers { head += "\(name): \(value)\r\n" }
        if response.status != 204 { head += "Content-Length: \(response.body.count)\r\n" }
        if closing { head += "Connection: close\r\n" }
        return Array((head + "\r\n").utf8) + (withBody ? response.body : [])
    }

    private static func reasonPhrase(_ status: Int) -> String {
        switch status {
        case 200: "OK"
        case 201: "Created"
        case 204: "No Content"
        case 400: "Bad Request"
        case 401: "Unauthorized"
        case 403: "Forbidden"
        case 404: "Not Found"
        case 405: "Method Not Allowed"
        case 413: "Content Too Large"
        case 431: "Request Header Fields Too Large"
        case 501: "Not Implemented"
        case 505: "HTTP Version Not Supported"
        default: "Status"
        }
    }
}

import NotificationHubs

/// Writes responses as they stand on the wire (RFC 9112).
enum HTTPResponseWriter {
    /// - Parameters:
    ///   - date: what the header `Date` says, unless the response has one.
    ///   - closing: whether the connection is closed behind it.
    ///   - withBody: whether the body is sent, and not only its length; that of HEAD is not.
    static func bytes(of response: HubResponse, date: String, closing: Bool, withBody: Bool = true) -> [UInt8] {
        var headers = response.headers
        // What says where the response ends is only right if it is the server's own.
        for name in ["Content-Length", "Transfer-Encoding", "Connection"] { headers[name] = nil }
        if headers["Date"] == nil { headers["Date"] = date }
        let hasBody = response.status >= 200 && response.status != 204 && response.status != 304
        if hasBody { headers["Content-Length"] = "\(response.body.count)" }
        if closing { headers["Connection"] = "close" }

        var head = "HTTP/1.1 \(response.status) \(HTTPReasonPhrase.text(for: response))\r\n"
        for (name, value) in headers { head += "\(name): \(value)\r\n" }
        return Array((head + "\r\n").utf8) + (hasBody && withBody ? response.body : [])
    }
}

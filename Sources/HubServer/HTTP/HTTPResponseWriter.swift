import HubText

/// A serializer for HTTP/1.1 responses (RFC 9112).
enum HTTPResponseWriter {
    /// Returns a response's bytes.
    ///
    /// - Parameters:
    ///   - date: The value of the `Date` header, unless the response has one.
    ///   - closing: Whether the server closes the connection after the response.
    ///   - withBody: Whether to include the body. The response to HEAD has only its length.
    static func bytes(of response: HTTPResponse, date: String, closing: Bool, withBody: Bool = true) -> [UInt8] {
        let (headers, body) = parts(of: response, date: date)
        let reason = response.reason ?? HTTPReasonPhrase.text(response.status)
        var head = "HTTP/1.1 \(response.status) \(reason)\r\n"
        for (name, value) in headers { head += "\(name): \(value)\r\n" }
        if closing { head += "Connection: close\r\n" }
        return Array((head + "\r\n").utf8) + (withBody ? body : [])
    }

    /// Returns a response's headers, with its length and date, and its body.
    static func parts(of response: HTTPResponse, date: String) -> (headers: HTTPFields, body: [UInt8]) {
        var headers = response.headers
        // The server sets the headers that frame the message.
        for name in ["Content-Length", "Transfer-Encoding", "Connection"] { headers[name] = nil }
        if headers["Date"] == nil { headers["Date"] = date }
        let hasBody = response.status >= 200 && response.status != 204 && response.status != 304
        if hasBody { headers["Content-Length"] = "\(response.body.count)" }
        return (headers, hasBody ? response.body : [])
    }
}

/// The reason phrases of status lines (RFC 9110 §15).
enum HTTPReasonPhrase {
    static func text(_ status: Int) -> String {
        switch status {
        case 200: "OK"
        case 201: "Created"
        case 202: "Accepted"
        case 204: "No Content"
        case 304: "Not Modified"
        case 400: "Bad Request"
        case 401: "Unauthorized"
        case 403: "Forbidden"
        case 404: "Not Found"
        case 405: "Method Not Allowed"
        case 406: "Not Acceptable"
        case 408: "Request Timeout"
        case 409: "Conflict"
        case 410: "Gone"
        case 412: "Precondition Failed"
        case 413: "Content Too Large"
        case 415: "Unsupported Media Type"
        case 417: "Expectation Failed"
        case 421: "Misdirected Request"
        case 429: "Too Many Requests"
        case 431: "Request Header Fields Too Large"
        case 500: "Internal Server Error"
        case 501: "Not Implemented"
        case 502: "Bad Gateway"
        case 503: "Service Unavailable"
        case 504: "Gateway Timeout"
        case 505: "HTTP Version Not Supported"
        default: "Status"
        }
    }
}

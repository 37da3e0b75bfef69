package import NotificationHubs

/// A request and the response to it, as text.
package struct Exchange: Hashable, Sendable {
    /// A request or a response.
    package struct Message: Hashable, Sendable {
        /// The method, path and query of a request, or the status of a response.
        package var line: String
        /// The headers by lowercase name.
        package var headers: [String: String]
        package var body: String

        package init(line: String, headers: [String: String] = [:], body: String = "") {
            (self.line, self.headers, self.body) = (line, headers, body)
        }

        /// Returns the message with each of its texts transformed.
        package func map(_ transform: (String) -> String) -> Message {
            Message(line: transform(line), headers: headers.mapValues(transform), body: transform(body))
        }
    }

    package var request: Message
    package var response: Message

    package init(request: Message, response: Message) {
        (self.request, self.response) = (request, response)
    }

    /// Creates an exchange without the credentials of the request.
    package init(_ request: HubRequest, _ response: HubResponse) {
        var headers = Self.byName(request.headers)
        for name in ["authorization", "user-agent"] { headers[name] = nil }
        self.request = Message(
            line: "\(request.method) \(request.path)" + (request.query.isEmpty ? "" : "?\(request.query)"),
            headers: headers, body: String(decoding: request.body, as: UTF8.self))
        self.response = Message(
            line: "\(response.status)", headers: Self.byName(response.headers),
            body: String(decoding: response.body, as: UTF8.self))
    }

    /// Returns the exchange with each of its texts transformed.
    package func map(_ transform: (String) -> String) -> Exchange {
        Exchange(request: request.map(transform), response: response.map(transform))
    }

    private static func byName(_ headers: HubHeaders) -> [String: String] {
        Dictionary(headers.map { ($0.name.lowercased(), $0.value) }) { $1 }
    }
}

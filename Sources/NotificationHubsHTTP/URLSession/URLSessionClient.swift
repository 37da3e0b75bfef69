#if canImport(Darwin)
import Foundation
import NotificationHubs

/// A client that sends requests with `URLSession`.
final class URLSessionClient: Sendable {
    private let maximumResponseByteCount: Int
    private let session: Session
    /// The session of requests that must not pass through a proxy.
    private let directSession: Session

    init(maximumConnections: Int, maximumResponseByteCount: Int) {
        self.maximumResponseByteCount = maximumResponseByteCount
        session = Session(maximumConnections: maximumConnections, allowsProxy: true)
        directSession = Session(maximumConnections: maximumConnections, allowsProxy: false)
    }

    /// Sends a request. `URLSession` can send an idempotent request again if it loses a reused connection.
    func send(_ request: HubRequest, timeout: Duration) async throws -> HubResponse {
        let urlRequest = try Self.urlRequest(request, timeout: timeout)
        let endpoint = "\(request.endpoint)"
        guard timeout > .zero else { throw HubTransportError(endpoint: endpoint, timeout: timeout, delivery: .notSent) }
        let exchange = Exchange(endpoint: endpoint, maximumByteCount: maximumResponseByteCount)
        return try await session(for: request).run(urlRequest, exchange, timeout: timeout)
    }

    func session(for request: HubRequest) -> Session {
        request.allowsProxy ? session : directSession
    }

    static func urlRequest(_ request: HubRequest, timeout: Duration) throws(HubTransportError) -> URLRequest {
        guard let url = URL(string: request.url) else {
            throw HubTransportError("invalid URL: \(request.endpoint)\(request.path)", delivery: .notSent)
        }
        var urlRequest = URLRequest(url: url, cachePolicy: .reloadIgnoringLocalCacheData)
        // The system's timeout for the next packet. The client's own timeout must expire first.
        urlRequest.timeoutInterval = interval(timeout) + 10
        urlRequest.httpMethod = request.method.rawValue
        urlRequest.httpShouldHandleCookies = false
        for (name, value) in request.headers { urlRequest.setValue(value, forHTTPHeaderField: name) }
        guard !request.body.isEmpty else { return urlRequest }
        urlRequest.httpBody = Data(request.body)
        // Without a type, the system adds that of a form. This one is the default of HTTP (RFC 9110 §8.3).
        if request.headers["Content-Type"] == nil {
            urlRequest.setValue("application/octet-stream", forHTTPHeaderField: "Content-Type")
        }
        return urlRequest
    }

    /// Returns a timeout in seconds.
    static func interval(_ timeout: Duration) -> TimeInterval {
        min(timeout, .longestSleep) / .seconds(1)
    }
}
#endif

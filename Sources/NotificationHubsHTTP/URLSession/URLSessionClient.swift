#if canImport(Darwin)
import Foundation
import NotificationHubs

/// A client that sends requests with `URLSession`.
struct URLSessionClient {
    private let maximumResponseByteCount: Int
    private let session: Session

    init(maximumConnections: Int, maximumResponseByteCount: Int) {
        self.maximumResponseByteCount = maximumResponseByteCount
        session = Session(maximumConnections: maximumConnections)
    }

    /// Sends a request. `URLSession` can resend it if its connection is lost.
    func send(_ request: HubRequest, timeout: Duration) async throws -> HubResponse {
        let urlRequest = try Self.urlRequest(request)
        let exchange = Exchange(maximumByteCount: maximumResponseByteCount)
        return try await withThrowingTaskGroup(of: HubResponse.self) { group in
            group.addTask { try await session.run(urlRequest, exchange) }
            group.addTask {
                try await Task.sleep(for: min(timeout, .longestSleep))
                throw HubTransportError("no response within \(timeout)", delivery: .unknown, isTimeout: true)
            }
            defer { group.cancelAll() }
            guard let response = try await group.next() else { throw CancellationError() }
            return response
        }
    }

    private static func urlRequest(_ request: HubRequest) throws(HubTransportError) -> URLRequest {
        guard let url = URL(string: request.url) else {
            throw HubTransportError("invalid URL: \(request.endpoint)\(request.path)", delivery: .notSent)
        }
        var urlRequest = URLRequest(url: url, cachePolicy: .reloadIgnoringLocalCacheData)
        urlRequest.httpMethod = request.method.rawValue
        urlRequest.httpShouldHandleCookies = false
        for (name, value) in request.headers { urlRequest.setValue(value, forHTTPHeaderField: name) }
        if !request.body.isEmpty { urlRequest.httpBody = Data(request.body) }
        return urlRequest
    }
}
#endif

#if canImport(Darwin)
import Foundation
import HubLock
import NotificationHubs

/// A `URLSession` that lives as long as this object and the requests in flight.
final class Session: Sendable {
    private let session: URLSession
    private let delegate = SessionDelegate()

    init(maximumConnections: Int) {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpCookieStorage = nil
        configuration.urlCache = nil
        configuration.httpMaximumConnectionsPerHost = maximumConnections
        configuration.tlsMinimumSupportedProtocolVersion = .TLSv12
        // The client enforces its own, shorter timeout.
        configuration.timeoutIntervalForRequest = 24 * 3600
        session = URLSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
    }

    deinit {
        session.finishTasksAndInvalidate()
    }

    /// Runs a request to its end, or until the task is cancelled.
    func run(_ request: URLRequest, _ exchange: Exchange) async throws -> HubResponse {
        let task = session.dataTask(with: request)
        // Before the task can be cancelled, so that the delegate finds the exchange when the task ends.
        delegate.add(exchange, for: task.taskIdentifier)
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                exchange.wait(continuation)
                task.resume()
            }
        } onCancel: {
            task.cancel()
        }
    }
}

/// A delegate that passes each event of the session to its exchange.
private final class SessionDelegate: NSObject, URLSessionDataDelegate {
    private let exchanges = Locked<[Int: Exchange]>([:])

    func add(_ exchange: Exchange, for taskIdentifier: Int) {
        exchanges.withLock { $0[taskIdentifier] = exchange }
    }

    private func exchange(_ task: URLSessionTask) -> Exchange? {
        exchanges.withLock { $0[task.taskIdentifier] }
    }

    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        if let response = response as? HTTPURLResponse { exchange(dataTask)?.receive(response) }
        completionHandler(.allow)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        if exchange(dataTask)?.receive(data) == .tooLarge { dataTask.cancel() }
    }

    /// Returns a redirect as the response instead of following it, since the token is for the endpoint only.
    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        exchange(task)?.receive(response)
        completionHandler(nil)
    }

    /// Leaves certificate checks to the system. Declines any other challenge, so that its response is the result.
    func urlSession(
        _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        let method = challenge.protectionSpace.authenticationMethod
        if [NSURLAuthenticationMethodServerTrust, NSURLAuthenticationMethodClientCertificate].contains(method) {
            return completionHandler(.performDefaultHandling, nil)
        }
        if let response = challenge.failureResponse as? HTTPURLResponse { exchange(task)?.decline(response) }
        completionHandler(.cancelAuthenticationChallenge, nil)
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        let exchange = exchanges.withLock { $0.removeValue(forKey: task.taskIdentifier) }
        exchange?.finish(error)
    }
}
#endif

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif
import Foundation
import HubLock
import NotificationHubs

/// A `URLSession` that lives as long as this object and the requests under way in it.
final class Session: Sendable {
    private let session: URLSession
    private let delegate = SessionDelegate()

    /// - Parameter configuration: is copied.
    init(_ configuration: URLSessionConfiguration) {
        session = URLSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
    }

    /// What sessions are made of. On Linux, to make this costs much of what a session costs: a cache is made first, and dropped.
    static func configuration(maximumConnectionsPerHost: Int) -> URLSessionConfiguration {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpCookieStorage = nil
        configuration.urlCache = nil
        configuration.httpMaximumConnectionsPerHost = maximumConnectionsPerHost
        // Deadlines are the caller's; the session's own are only not to come first.
        configuration.timeoutIntervalForRequest = 24 * 3600
        return configuration
    }

    deinit {
        session.finishTasksAndInvalidate()
    }

    /// Runs a request to its end, or until the task is cancelled.
    func run(_ request: URLRequest, _ exchange: Exchange) async throws -> HubResponse {
        let task = session.dataTask(with: request)
        // Before anything can cancel the task: its end finds the exchange, and the exchange its continuation, or keeps the
        // outcome for it.
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

/// Hands the session's events to the exchanges that they belong to.
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

    /// No redirect is followed: the token is for the endpoint alone. The redirect itself is the response.
    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        exchange(task)?.receive(response)
        completionHandler(nil)
    }

    /// Certificates are dealt with as ever; any other challenge is left unanswered, and its response taken.
    func urlSession(
        _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        #if !canImport(FoundationNetworking)
        let method = challenge.protectionSpace.authenticationMethod
        if [NSURLAuthenticationMethodServerTrust, NSURLAuthenticationMethodClientCertificate].contains(method) {
            return completionHandler(.performDefaultHandling, nil)
        }
        #endif
        if let response = challenge.failureResponse as? HTTPURLResponse { exchange(task)?.decline(response) }
        completionHandler(.cancelAuthenticationChallenge, nil)
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        let exchange = exchanges.withLock { $0.removeValue(forKey: task.taskIdentifier) }
        exchange?.finish(error)
    }
}

#if canImport(Darwin)
import Dispatch
import Foundation
import HubLock
import NotificationHubs

/// A `URLSession` that lives as long as this object and the requests in flight.
final class Session: Sendable {
    private let session: URLSession
    private let delegate = SessionDelegate()

    init(maximumConnections: Int, allowsProxy: Bool) {
        let configuration = Self.makeConfiguration(maximumConnections: maximumConnections, allowsProxy: allowsProxy)
        session = URLSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
    }

    private static func makeConfiguration(maximumConnections: Int, allowsProxy: Bool) -> URLSessionConfiguration {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpCookieStorage = nil
        configuration.urlCache = nil
        configuration.urlCredentialStorage = nil
        configuration.httpMaximumConnectionsPerHost = maximumConnections
        configuration.tlsMinimumSupportedProtocolVersion = .TLSv12
        // The shorter one of this timeout and the request's applies. The default is 60 seconds.
        configuration.timeoutIntervalForRequest = URLSessionClient.interval(.longestSleep)
        // `nil` selects the system's proxy, and an empty dictionary none.
        if !allowsProxy { configuration.connectionProxyDictionary = [:] }
        return configuration
    }

    deinit {
        session.finishTasksAndInvalidate()
    }

    /// A copy of the session's configuration.
    var configuration: URLSessionConfiguration { session.configuration }

    /// Runs a request until its exchange ends. A cancelled request ends immediately, even if the system has not ended it yet.
    func run(_ request: URLRequest, _ exchange: Exchange, timeout: Duration) async throws -> HubResponse {
        let task = session.dataTask(with: request)
        delegate.add(exchange, for: task.taskIdentifier)
        let timer = Self.startTimer(timeout) {
            // The metrics that follow the cancellation decide the delivery. The second time, the exchange ends without them.
            if exchange.expire(timeout) { task.cancel() } else { exchange.endWithoutMetrics() }
        }
        defer {
            timer.cancel()
            delegate.remove(task.taskIdentifier)
            if !exchange.isTaskComplete { task.cancel() }
        }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                if exchange.wait(continuation) { task.resume() }
            }
        } onCancel: {
            exchange.end(with: .failure(CancellationError()))
        }
    }

    /// Starts a timer that calls a handler after a timeout, and then every second. Unlike `Task.sleep`, it frees its memory when it is
    /// cancelled.
    private static func startTimer(
        _ timeout: Duration, _ handler: @escaping @Sendable () -> Void
    ) -> any DispatchSourceTimer {
        let timer = DispatchSource.makeTimerSource()
        timer.schedule(deadline: .now() + URLSessionClient.interval(timeout), repeating: 1)
        timer.setEventHandler(handler: handler)
        timer.activate()
        return timer
    }
}

/// A delegate that passes each event of the session to its exchange.
private final class SessionDelegate: NSObject, URLSessionDataDelegate {
    private let exchanges = Locked<[Int: Exchange]>([:])

    func add(_ exchange: Exchange, for taskIdentifier: Int) {
        exchanges.withLock { $0[taskIdentifier] = exchange }
    }

    func remove(_ taskIdentifier: Int) {
        exchanges.withLock { $0[taskIdentifier] = nil }
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
        exchange(dataTask)?.receive(data)
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask,
        needNewBodyStream completionHandler: @escaping @Sendable (InputStream?) -> Void
    ) {
        exchange(task)?.refuseResend()
        completionHandler(nil)
    }

    /// Returns a redirect as the response instead of following it, since the token is for the endpoint only.
    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        exchange(task)?.receive(response)
        completionHandler(nil)
    }

    /// Leaves certificate checks to the system. Rejects any other challenge, so that its response is the result. A cancelled
    /// challenge would lose the response.
    func urlSession(
        _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        let method = challenge.protectionSpace.authenticationMethod
        if [NSURLAuthenticationMethodServerTrust, NSURLAuthenticationMethodClientCertificate].contains(method) {
            return completionHandler(.performDefaultHandling, nil)
        }
        exchange(task)?.rejectChallenge()
        completionHandler(.rejectProtectionSpace, nil)
    }

    /// Called before the task completes.
    func urlSession(
        _ session: URLSession, task: URLSessionTask, didFinishCollecting metrics: URLSessionTaskMetrics
    ) {
        exchange(task)?.receive(requestStarts: metrics.transactionMetrics.map { $0.requestStartDate != nil })
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        exchange(task)?.complete(error)
    }
}
#endif

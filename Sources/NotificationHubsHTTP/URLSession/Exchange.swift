#if canImport(Darwin)
import Foundation
import HubLock
import NotificationHubs

/// A response that is being received, and the task that waits for it. The first outcome counts.
final class Exchange: Sendable {
    typealias Outcome = Result<HubResponse, any Error>

    private struct State {
        var continuation: CheckedContinuation<HubResponse, any Error>?
        var response: HubResponse?
        var requestStarts: [Bool]?
        var hasRejectedChallenge = false
        /// The timeout, if it has expired.
        var expiredTimeout: Duration?
        var outcome: Outcome?
        /// Whether the `URLSession` task has completed.
        var isTaskComplete = false
    }

    private let endpoint: String
    private let maximumByteCount: Int
    private let state = Locked(State())

    /// - Parameter endpoint: The text of the request's endpoint, for errors.
    init(endpoint: String, maximumByteCount: Int) {
        self.endpoint = endpoint
        self.maximumByteCount = maximumByteCount
    }

    /// Resumes a continuation when the exchange ends, or immediately if it has ended. Returns whether it has not ended.
    func wait(_ continuation: CheckedContinuation<HubResponse, any Error>) -> Bool {
        let outcome = state.withLock { state in
            if state.outcome == nil { state.continuation = continuation }
            return state.outcome
        }
        if let outcome { continuation.resume(with: outcome) }
        return outcome == nil
    }

    func receive(_ head: HTTPURLResponse) {
        // An interim response.
        guard head.statusCode >= 200 else { return }
        let fields = head.allHeaderFields.compactMap { name, value in
            (name as? String).flatMap { name in (value as? String).map { (name: name, value: $0) } }
        }
        state.withLock { $0.response = HubResponse(status: head.statusCode, headers: HubHeaders(fields)) }
    }

    /// Appends to the response's body. Ends the exchange if the body is too long.
    func receive(_ data: Data) {
        let isTooLong = state.withLock { state in
            let count = (state.response?.body.count ?? 0) + data.count
            if count <= maximumByteCount { state.response?.body.append(contentsOf: data) }
            return count > maximumByteCount
        }
        if isTooLong { fail("the response body has more than \(maximumByteCount) bytes") }
    }

    /// Ends the exchange, because the system has lost the connection and wants to send the body again.
    func refuseResend() {
        fail("the connection to \(endpoint) was lost before the response")
    }

    /// Stores whether each transaction of the task started to send its request.
    func receive(requestStarts: [Bool]) {
        state.withLock { $0.requestStarts = requestStarts }
    }

    /// Stores that an authentication challenge was rejected.
    func rejectChallenge() {
        state.withLock { $0.hasRejectedChallenge = true }
    }

    /// Stores that the timeout has expired. Returns `false` if it had expired before.
    func expire(_ timeout: Duration) -> Bool {
        state.withLock { state in
            defer { state.expiredTimeout = timeout }
            return state.expiredTimeout == nil
        }
    }

    /// Whether the `URLSession` task has completed.
    var isTaskComplete: Bool { state.withLock { $0.isTaskComplete } }

    /// Ends the exchange with the result of the `URLSession` task.
    func complete(_ error: (any Error)?) {
        state.withLock { $0.isTaskComplete = true }
        end { state in
            let code = (error as? URLError)?.errorCode
            // FoundationNetworking cancels the task of a rejected challenge. Its response is complete.
            let isRejected =
                code == URLErrorCode.cancelled && state.hasRejectedChallenge && state.expiredTimeout == nil
            if let response = state.response, error == nil || isRejected { return .success(response) }
            return .failure(failure(state, code: code).error)
        }
    }

    /// Ends the exchange because its timeout has expired, without waiting for the `URLSession` task.
    func endWithoutMetrics() {
        end { .failure(failure($0, code: URLErrorCode.timedOut).error) }
    }

    private func failure(_ state: State, code: Int?) -> TaskFailure {
        TaskFailure(
            endpoint: endpoint, code: code, requestStarts: state.requestStarts, expiredTimeout: state.expiredTimeout)
    }

    /// Ends the exchange without waiting for the `URLSession` task.
    func end(with outcome: Outcome) {
        end { _ in outcome }
    }

    private func fail(_ description: String) {
        end(with: .failure(HubTransportError(description, delivery: .unknown)))
    }

    private func end(_ outcome: (State) -> Outcome) {
        let ended = state.withLock { state -> (CheckedContinuation<HubResponse, any Error>?, Outcome)? in
            guard state.outcome == nil else { return nil }
            let ended = outcome(state)
            state.outcome = ended
            defer { state.continuation = nil }
            return (state.continuation, ended)
        }
        if let (continuation, outcome) = ended { continuation?.resume(with: outcome) }
    }
}
#endif

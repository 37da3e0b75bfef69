#if canImport(Darwin)
import Foundation
import HubLock
import NotificationHubs

/// A response that is being received, and the task that waits for it.
final class Exchange: Sendable {
    typealias Outcome = Result<HubResponse, any Error>

    private struct State {
        var continuation: CheckedContinuation<HubResponse, any Error>?
        var response: HubResponse?
        var isTooLarge = false
        /// Whether an authentication challenge was declined. The exchange then ends as cancelled, with a complete response.
        var isDeclined = false
        /// The outcome, if the exchange ended before a task waited for it.
        var outcome: Outcome?
    }

    enum Verdict {
        case accepted, tooLarge
    }

    private let maximumByteCount: Int
    private let state = Locked(State())

    init(maximumByteCount: Int) {
        self.maximumByteCount = maximumByteCount
    }

    /// Resumes a continuation when the exchange ends, or immediately if it has ended.
    func wait(_ continuation: CheckedContinuation<HubResponse, any Error>) {
        let outcome = state.withLock { state in
            if state.outcome == nil { state.continuation = continuation }
            return state.outcome
        }
        if let outcome { continuation.resume(with: outcome) }
    }

    func receive(_ head: HTTPURLResponse) {
        // An interim response.
        guard head.statusCode >= 200 else { return }
        let fields = head.allHeaderFields.compactMap { name, value in
            (name as? String).flatMap { name in (value as? String).map { (name: name, value: $0) } }
        }
        state.withLock { $0.response = HubResponse(status: head.statusCode, headers: HubHeaders(fields)) }
    }

    /// Stores the response of a declined challenge as the result.
    func decline(_ head: HTTPURLResponse) {
        receive(head)
        state.withLock { $0.isDeclined = true }
    }

    func receive(_ data: Data) -> Verdict {
        state.withLock { state in
            let count = (state.response?.body.count ?? 0) + data.count
            guard count <= maximumByteCount else {
                state.isTooLarge = true
                return .tooLarge
            }
            state.response?.body.append(contentsOf: data)
            return .accepted
        }
    }

    /// Ends the exchange.
    func finish(_ error: (any Error)?) {
        let (continuation, ended) = state.withLock { state -> (CheckedContinuation<HubResponse, any Error>?, Outcome) in
            let ended = outcome(state, error)
            state.outcome = ended
            defer { state.continuation = nil }
            return (state.continuation, ended)
        }
        continuation?.resume(with: ended)
    }

    private func outcome(_ state: State, _ error: (any Error)?) -> Outcome {
        if state.isTooLarge {
            let text = "the response body has more than \(maximumByteCount) bytes"
            return .failure(HubTransportError(text, delivery: .unknown))
        }
        let code = (error as? URLError)?.code
        if let response = state.response, error == nil || code == .cancelled && state.isDeclined {
            return .success(response)
        }
        if code == .cancelled { return .failure(CancellationError()) }
        return .failure(HubTransportError(error as? URLError))
    }
}

extension HubTransportError {
    /// Creates the error of a failed exchange.
    ///
    /// - Parameter error: `nil` for an error of another domain, or for a response that is not HTTP.
    fileprivate init(_ error: URLError?) {
        switch error?.code {
        case .cannotFindHost?, .dnsLookupFailed?:
            self.init("cannot resolve the host name", delivery: .notSent)
        case .cannotConnectToHost?:
            self.init("cannot connect to the host", delivery: .notSent)
        case .notConnectedToInternet?:
            self.init("no network connection", delivery: .notSent)
        case .secureConnectionFailed?, .serverCertificateUntrusted?, .serverCertificateHasBadDate?,
            .serverCertificateHasUnknownRoot?, .serverCertificateNotYetValid?:
            self.init(
                "cannot establish a TLS connection to the host (URLError \(error?.errorCode ?? 0))", delivery: .notSent)
        case .timedOut?:
            self.init("no response within the timeout", delivery: .unknown, isTimeout: true)
        case let code?:
            self.init("the connection was lost (URLError \(code.rawValue))", delivery: .unknown)
        case nil:
            self.init("the connection was lost", delivery: .unknown)
        }
    }
}
#endif

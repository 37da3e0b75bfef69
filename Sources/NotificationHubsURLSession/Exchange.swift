#if canImport(FoundationNetworking)
import FoundationNetworking
#endif
import Foundation
import HubLock
import NotificationHubs

/// One request's response as it comes in, and who waits for it.
final class Exchange: Sendable {
    typealias Outcome = Result<HubResponse, any Error>

    private struct State {
        var continuation: CheckedContinuation<HubResponse, any Error>?
        var response: HubResponse?
        var isTooLarge = false
        /// Whether an authentication challenge was declined, which ends the exchange as "cancelled" with a whole response.
        var isDeclined = false
        /// How it ended, if that was before anyone waited.
        var outcome: Outcome?
    }

    enum Verdict {
        case fine, tooLarge
    }

    private let maximumByteCount: Int
    /// Whether the host is an address: then a refused connection is the only one that was tried.
    private let isToAddress: Bool
    private let state = Locked(State())

    init(maximumByteCount: Int, isToAddress: Bool) {
        self.maximumByteCount = maximumByteCount
        self.isToAddress = isToAddress
    }

    /// Resumes a continuation once the exchange ends, or at once if it has.
    func wait(_ continuation: CheckedContinuation<HubResponse, any Error>) {
        let outcome = state.withLock { state in
            if state.outcome == nil { state.continuation = continuation }
            return state.outcome
        }
        if let outcome { continuation.resume(with: outcome) }
    }

    func receive(_ head: HTTPURLResponse) {
        // One of 1xx announces another.
        guard head.statusCode >= 200 else { return }
        let fields = head.allHeaderFields.compactMap { name, value in
            (name as? String).flatMap { name in (value as? String).map { (name: name, value: $0) } }
        }
        state.withLock { $0.response = HubResponse(status: head.statusCode, headers: HubHeaders(received: fields)) }
    }

    /// Takes note of a response that asks for credentials, and gets none.
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
            return .fine
        }
    }

    /// The session's last word.
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
            let text = "the response's body has more than \(maximumByteCount) bytes"
            return .failure(HubTransportError(text, delivery: .unknown))
        }
        let code = (error as? URLError)?.code
        if let response = state.response, error == nil || code == .cancelled && state.isDeclined {
            return .success(response)
        }
        if code == .cancelled { return .failure(CancellationError()) }
        return .failure(HubTransportError(error as? URLError, isToAddress: isToAddress))
    }
}

extension HubTransportError {
    /// - Parameter error: `nil` for what is no error of URL loading, and for a response that is none of HTTP.
    fileprivate init(_ error: URLError?, isToAddress: Bool) {
        switch error?.code {
        case .cannotFindHost?, .dnsLookupFailed?:
            self.init("the host's name cannot be resolved", delivery: .unsent)
        case .cannotConnectToHost?:
            #if canImport(FoundationNetworking)
            // Of a host with several addresses, Linux says so too if one refused and another took the request and broke off.
            self.init("no connection to the host", delivery: isToAddress ? .unsent : .unknown)
            #else
            self.init("no connection to the host", delivery: .unsent)
            #endif
        case .notConnectedToInternet?:
            self.init("no connection to the network", delivery: .unsent)
        case .secureConnectionFailed?, .serverCertificateUntrusted?, .serverCertificateHasBadDate?,
            .serverCertificateHasUnknownRoot?, .serverCertificateNotYetValid?:
            self.init("no TLS connection to the host can be made", delivery: .unsent)
        #if canImport(FoundationNetworking)
        case .unknown? where Self.tlsFailures.contains { error?.localizedDescription.hasPrefix($0) == true }:
            self.init(
                "no TLS connection to the host can be made (\(error?.localizedDescription ?? ""))", delivery: .unsent)
        #endif
        case .timedOut?:
            self.init("no response in time", delivery: .unknown, isTimeout: true)
        case let code?:
            self.init("the connection broke (URLError \(code.rawValue))", delivery: .unknown)
        case nil:
            self.init("the connection broke", delivery: .unknown)
        }
    }

    #if canImport(FoundationNetworking)
    /// How libcurl's text begins when no TLS connection comes about, for which FoundationNetworking has no code. One that breaks
    /// later is `OpenSSL SSL_read` or `SSL_write`.
    private static let tlsFailures = [
        "SSL certificate problem:", "SSL: ", "OpenSSL SSL_connect:", "OpenSSL/", "TLS connect error:",
    ]
    #endif
}

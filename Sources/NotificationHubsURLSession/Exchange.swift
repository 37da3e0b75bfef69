#if canImport(FoundationNetworking)
import FoundationNetworking
#endif
import Foundation
import HubLock
import NotificationHubs

/// One request's response as it comes in, and who waits for it.
final class Exchange: Sendable {
    private struct State {
        var continuation: CheckedContinuation<HubResponse, any Error>?
        var response: HubResponse?
        var isTooLarge = false
    }

    enum Verdict {
        case fine, tooLarge
    }

    private let maximumByteCount: Int
    private let state = Locked(State())

    init(maximumByteCount: Int) {
        self.maximumByteCount = maximumByteCount
    }

    func start(_ continuation: CheckedContinuation<HubResponse, any Error>) {
        state.withLock { $0.continuation = continuation }
    }

    func receive(_ head: HTTPURLResponse) {
        var headers = HubHeaders()
        for (name, value) in head.allHeaderFields {
            // What a header may not hold, a lenient parser may still have let through.
            guard let name = name as? String, let value = value as? String,
                value.utf8.allSatisfy({ $0 >= 0x20 || $0 == 9 })
            else { continue }
            headers[name] = value
        }
        state.withLock { $0.response = HubResponse(status: head.statusCode, headers: headers) }
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

    /// The session's last word. A response whose authentication challenge was declined ends as "cancelled", yet is whole.
    func finish(_ error: (any Error)?) {
        let (continuation, result) = state.withLock {
            state -> (CheckedContinuation<HubResponse, any Error>?, Outcome) in
            defer { state.continuation = nil }
            return (state.continuation, outcome(state, error as? URLError, failed: error != nil))
        }
        switch result {
        case .response(let response): continuation?.resume(returning: response)
        case .failure(let error): continuation?.resume(throwing: error)
        case .cancelled: continuation?.resume(throwing: CancellationError())
        }
    }

    private enum Outcome {
        case response(HubResponse), failure(HubTransportError), cancelled
    }

    private func outcome(_ state: State, _ error: URLError?, failed: Bool) -> Outcome {
        if state.isTooLarge {
            return .failure(
                HubTransportError("the response's body has more than \(maximumByteCount) bytes", delivery: .unknown))
        }
        if failed, error?.code != .cancelled || state.response?.status != 401 {
            return error?.code == .cancelled ? .cancelled : .failure(HubTransportError(error))
        }
        guard let response = state.response else {
            return .failure(HubTransportError("the response is none of HTTP", delivery: .unknown))
        }
        return .response(response)
    }
}

extension HubTransportError {
    fileprivate init(_ error: URLError?) {
        switch error?.code {
        case .cannotFindHost?, .dnsLookupFailed?:
            self.init("the host's name cannot be resolved", delivery: .unsent)
        case .cannotConnectToHost?, .notConnectedToInternet?:
            self.init("no connection to the host can be made", delivery: .unsent)
        case .secureConnectionFailed?, .serverCertificateUntrusted?, .serverCertificateHasBadDate?,
            .serverCertificateHasUnknownRoot?, .serverCertificateNotYetValid?:
            self.init("no TLS connection to the host can be made", delivery: .unsent)
        case .timedOut?:
            self.init("no response in time", delivery: .unknown, isTimeout: true)
        case let code?:
            self.init("the connection broke (URLError \(code.rawValue))", delivery: .unknown)
        case nil:
            self.init("the connection broke", delivery: .unknown)
        }
    }
}

import HubText
import NotificationHubs

/// A failed `URLSession` task, as values, so that its interpretation is tested on every platform.
struct TaskFailure {
    /// The text of the request's endpoint.
    let endpoint: String
    /// The code of the `URLError`; `nil` for another error, or without an HTTP response.
    let code: Int?
    /// For each transaction of the task, whether it started to send its request; `nil` if the system collected no metrics.
    let requestStarts: [Bool]?
    /// The request's timeout, if it has expired.
    var expiredTimeout: Duration?

    /// Whether the service can have read the request.
    ///
    /// Only metrics can prove that it has not. The error's code cannot: -1200, for example, reports a failed handshake, and also an
    /// alert on a connection that has carried the request. Without a transaction, another `URLProtocol` may have sent the request.
    var delivery: HubTransportError.Delivery {
        guard let requestStarts, !requestStarts.isEmpty else { return .unknown }
        return requestStarts.contains(true) ? .unknown : .notSent
    }

    /// The error to throw. Its texts are those of the libcurl transport.
    var error: HubTransportError {
        if let expiredTimeout {
            return HubTransportError(endpoint: endpoint, timeout: expiredTimeout, delivery: delivery)
        }
        return HubTransportError(description, delivery: delivery, isTimeout: code == URLErrorCode.timedOut)
    }

    private var description: String {
        let reason = code.map { "URLError \($0)" } ?? "unknown error"
        switch code {
        case URLErrorCode.cannotFindHost, URLErrorCode.dnsLookupFailed:
            return "cannot resolve the host name of \(endpoint)"
        case URLErrorCode.appTransportSecurity:
            return "App Transport Security forbids the connection to \(endpoint): use https, or add an exception"
        case let code? where URLErrorCode.isTLSFailure(code) && delivery == .notSent:
            return "cannot establish a TLS connection to \(endpoint): \(reason)"
        case let code? where URLErrorCode.isConnectionFailure(code):
            return "cannot connect to \(endpoint): \(reason)"
        case URLErrorCode.timedOut:
            return
                "\(delivery == .notSent ? "no connection to" : "no complete response from") \(endpoint): the system timed out"
        case URLErrorCode.connectionLost:
            return "the connection to \(endpoint) was lost before the response"
        default:
            return "\(delivery == .notSent ? "the request was not sent" : "no valid response") (\(endpoint)): \(reason)"
        }
    }
}

extension HubTransportError {
    /// Creates the error of a request that did not end within its timeout. Its texts are those of the libcurl transport.
    init(endpoint: String, timeout: Duration, delivery: Delivery) {
        let place = delivery == .notSent ? "no connection to" : "no complete response from"
        self.init("\(place) \(endpoint) within \(timeout.secondsText)", delivery: delivery, isTimeout: true)
    }
}

/// The values of `URLError.Code` that this transport handles.
enum URLErrorCode {
    static let cancelled = -999
    static let timedOut = -1001
    static let cannotFindHost = -1003
    static let cannotConnectToHost = -1004
    static let connectionLost = -1005
    static let dnsLookupFailed = -1006
    static let appTransportSecurity = -1022

    /// Returns whether the host, or a network, was not reached.
    static func isConnectionFailure(_ code: Int) -> Bool {
        // Not connected, roaming is off, a call is active, and mobile data is off.
        [cannotConnectToHost, -1009, -1018, -1019, -1020].contains(code)
    }

    /// Returns whether a TLS connection failed, or a certificate was rejected.
    static func isTLSFailure(_ code: Int) -> Bool {
        (-1206 ... -1200).contains(code)
    }
}

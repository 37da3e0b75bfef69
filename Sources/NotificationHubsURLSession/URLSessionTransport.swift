#if canImport(FoundationNetworking)
import FoundationNetworking
#endif
import Foundation
import HubLock
public import NotificationHubs

/// Carries requests by Foundation's `URLSession`.
///
/// It follows no redirect, answers no authentication challenge, stores no cookie and caches nothing, and reads no more of
/// a response than ``maximumResponseByteCount``.
///
/// On Linux each request with a body has a connection of its own: there, `URLSession` silently sends a request again when
/// a connection that it kept open breaks, and a message would be shown twice. That costs a TLS handshake a message. Calls
/// without a body share connections. For many messages a second, a transport on async-http-client does better; the
/// documentation of the module `NotificationHubs` shows one.
///
/// On Linux, Swift 6.3's `URLSession` stops the program when a connection ends within a response's head, or a response has
/// trailers ("Transfer completed, but there's no response"; mended after Swift 6.3 by
/// [swift-corelibs-foundation#5286](https://github.com/swiftlang/swift-corelibs-foundation/pull/5286)). Nothing outside of it can
/// prevent that. The service does neither; where what stands between it and the program may, a transport on another HTTP client is
/// the safer choice.
///
/// On Linux a proxy that the environment names (`http_proxy`, `https_proxy`) is used, unless `no_proxy` has the host.
///
/// Copies share one session. It needs no closing.
public struct URLSessionTransport: HubTransport {
    /// The longest response body, in bytes, that is read.
    public let maximumResponseByteCount: Int

    private let shared: Session
    #if canImport(FoundationNetworking)
    private static let ofOneConnection = Session.configuration(maximumConnectionsPerHost: 1)
    private let ownConnections: Gate
    #endif

    /// A transport with connections of its own.
    ///
    /// - Parameters:
    ///   - maximumResponseByteCount: the longest response body, in bytes, that is read.
    ///   - maximumConnectionsPerHost: how many connections calls without a body share, at the most.
    ///   - maximumOwnConnections: on Linux, how many requests with a body, and so connections of their own, are under way
    ///     at once, at the most. Others wait; what waits until its time is over was not sent.
    public init(
        maximumResponseByteCount: Int = 4 << 20, maximumConnectionsPerHost: Int = 6, maximumOwnConnections: Int = 64
    ) {
        precondition(
            maximumConnectionsPerHost > 0 && maximumOwnConnections > 0, "without a connection nothing can be sent")
        #if canImport(FoundationNetworking)
        ownConnections = Gate(count: maximumOwnConnections)
        #endif
        self.maximumResponseByteCount = maximumResponseByteCount
        shared = Session(Session.configuration(maximumConnectionsPerHost: maximumConnectionsPerHost))
    }

    /// Sends a request once.
    public func send(_ request: HubRequest, timeout: Duration) async throws -> HubResponse {
        let urlRequest = try Self.urlRequest(request)
        let exchange = Exchange(
            maximumByteCount: maximumResponseByteCount, isToAddress: request.isToAddress)
        #if canImport(FoundationNetworking)
        if request.method == .post || !request.body.isEmpty {
            let isUnderWay = Locked(false)
            return try await withTimeout(timeout, delivery: { isUnderWay.withLock { $0 } ? .unknown : .unsent }) {
                try await ownConnections.pass {
                    isUnderWay.withLock { $0 = true }
                    return try await Session(Self.ofOneConnection).run(urlRequest, exchange)
                }
            }
        }
        #endif
        return try await withTimeout(timeout, delivery: { .unknown }) { try await shared.run(urlRequest, exchange) }
    }

    private static func urlRequest(_ request: HubRequest) throws(HubTransportError) -> URLRequest {
        guard let url = URL(string: request.url) else {
            throw HubTransportError("\(request.endpoint)\(request.path) with its query is no URL", delivery: .unsent)
        }
        var urlRequest = URLRequest(url: url, cachePolicy: .reloadIgnoringLocalCacheData)
        urlRequest.httpMethod = request.method.rawValue
        urlRequest.httpShouldHandleCookies = false
        for (name, value) in request.headers { urlRequest.setValue(value, forHTTPHeaderField: name) }
        if !request.body.isEmpty { urlRequest.httpBody = Data(request.body) }
        return urlRequest
    }
}

extension URLSessionTransport: CustomStringConvertible, CustomReflectable {
    /// The transport's name: its inner life has the requests under way, tokens among them.
    public var description: String { "URLSessionTransport" }

    /// The transport's settings: its inner life has the requests under way, tokens among them.
    public var customMirror: Mirror { Mirror(self, children: ["maximumResponseByteCount": maximumResponseByteCount]) }
}

/// Gives up on an operation after a time, and cancels it then.
///
/// - Parameter delivery: what is known of the request when the time is over.
private func withTimeout<Result: Sendable>(
    _ timeout: Duration, delivery: @escaping @Sendable () -> HubTransportError.Delivery,
    _ operation: @escaping @Sendable () async throws -> Result
) async throws -> Result {
    try await withThrowingTaskGroup(of: Result.self) { group in
        group.addTask(operation: operation)
        group.addTask {
            try await CallTime.pass(timeout)
            throw HubTransportError("no response within \(timeout)", delivery: delivery(), isTimeout: true)
        }
        defer { group.cancelAll() }
        guard let result = try await group.next() else { throw CancellationError() }
        return result
    }
}

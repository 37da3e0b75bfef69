public import NotificationHubs

/// A set of checks that a transport satisfies the contract of `HubTransport`.
///
/// Each check starts a server on 127.0.0.1 and sends requests to it with the transport. The checks work with any test
/// framework. With Swift Testing:
///
/// ```swift
/// @Test(arguments: TransportConformance.checks)
/// func `satisfies the contract of HubTransport`(check: TransportConformance.Check) async throws {
///     try await check.run(MyTransport())
/// }
/// ```
public enum TransportConformance {
    /// All checks.
    public static let checks = requestChecks + responseChecks + deliveryChecks + timeChecks

    /// Runs all checks in sequence.
    ///
    /// - Parameters:
    ///   - transport: The transport to check.
    ///   - limits: The times and sizes that the checks use.
    /// - Returns: One error for each failed check.
    public static func run(
        _ transport: some HubTransport, limits: Limits = Limits()
    ) async -> [TransportConformanceError] {
        var errors: [TransportConformanceError] = []
        for check in checks {
            do throws(TransportConformanceError) {
                try await check.run(transport, limits: limits)
            } catch {
                errors.append(error)
            }
        }
        return errors
    }
}

extension TransportConformance {
    /// The times and sizes that the checks use.
    public struct Limits: Sendable {
        /// The timeout of a request that must time out.
        public var timeout: Duration
        /// The time after which a check reports that the transport hangs.
        ///
        /// Only failing checks take this long. Choose a long time, so that no check fails only because the machine is busy.
        public var patience: Duration
        /// The length of a response body that the transport must reject, in bytes; `nil` skips that check.
        public var rejectedBodyByteCount: Int?
        /// Whether the transport can send a GET, PUT or DELETE request again if a reused connection is lost.
        ///
        /// `URLSession` does, since these methods are idempotent, and offers no way to prevent it. A transport must never send a
        /// POST or PATCH request again.
        public var resendsIdempotentRequests = false

        /// Creates limits.
        ///
        /// - Parameters:
        ///   - timeout: The timeout of a request that must time out.
        ///   - patience: The time after which a check reports that the transport hangs.
        ///   - rejectedBodyByteCount: The length of a response body that the transport must reject, in bytes; `nil` skips
        ///     that check.
        public init(
            timeout: Duration = .milliseconds(200), patience: Duration = .seconds(60),
            rejectedBodyByteCount: Int? = 64 << 20
        ) {
            precondition(timeout > .zero && patience > .zero, "timeout and patience must be positive")
            precondition(rejectedBodyByteCount ?? 1 > 0, "rejectedBodyByteCount must be positive")
            self.timeout = timeout
            self.patience = patience
            self.rejectedBodyByteCount = rejectedBodyByteCount
        }
    }

    /// A check of one rule of the contract.
    public struct Check: Sendable, CustomStringConvertible {
        /// The rule, such as "does not follow redirects".
        public let description: String
        /// Whether the transport must be able to reach a server on 127.0.0.1.
        ///
        /// A check with `false` only requires that no response arrives. It also works with an in-process transport, such as
        /// `HubEmulator` with a fault that stalls every request.
        public let needsServer: Bool
        private let body: @Sendable (Exchange) async throws -> Void

        init(
            _ description: String, needsServer: Bool = true, _ body: @escaping @Sendable (Exchange) async throws -> Void
        ) {
            self.description = description
            self.needsServer = needsServer
            self.body = body
        }

        /// Runs the check.
        ///
        /// - Parameters:
        ///   - transport: The transport to check. Concurrent checks can share a transport.
        ///   - limits: The times and sizes that the check uses.
        /// - Throws: ``TransportConformanceError`` if the transport breaks the rule.
        public func run(
            _ transport: some HubTransport, limits: Limits = Limits()
        ) async throws(TransportConformanceError) {
            do {
                try await body(Exchange(transport: transport, limits: limits))
            } catch {
                throw TransportConformanceError(rule: description, problem: "\(error)")
            }
        }
    }
}

/// A violation of the contract of `HubTransport`.
public struct TransportConformanceError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The description of the failed check.
    public let rule: String
    /// The observed behavior of the transport.
    public let problem: String

    /// Creates an error.
    ///
    /// - Parameters:
    ///   - rule: The description of the failed check.
    ///   - problem: The observed behavior of the transport.
    public init(rule: String, problem: String) {
        self.rule = rule
        self.problem = problem
    }

    /// The broken rule and the problem, in one line.
    public var description: String { "not met: \(rule): \(problem)" }
}

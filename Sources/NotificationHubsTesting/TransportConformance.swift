public import NotificationHubs

/// Checks that a transport keeps the contract of `HubTransport`.
///
/// Each check starts a server on 127.0.0.1 that behaves as the check requires, and sends requests to it with the transport.
/// The checks use no test framework. With Swift Testing:
///
/// ```swift
/// @Test(arguments: TransportConformance.checks)
/// func `keeps the contract of HubTransport`(check: TransportConformance.Check) async throws {
///     try await check.run(MyTransport())
/// }
/// ```
public enum TransportConformance {
    /// All checks.
    public static let checks = requestChecks + responseChecks + deliveryChecks + timeChecks

    /// Runs all checks, one after another.
    ///
    /// - Parameters:
    ///   - transport: The transport to check.
    ///   - limits: The times and sizes to use.
    /// - Returns: One error for each check that failed.
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
        /// It delays only failures, so it can be long: a busy machine must not make a check fail.
        public var patience: Duration
        /// The length of a response body that the transport must reject, in bytes; `nil` skips that check.
        public var rejectedBodyByteCount: Int?

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

    /// One rule of the contract, and how to check it.
    public struct Check: Sendable, CustomStringConvertible {
        /// The rule, such as "follows no redirect".
        public let description: String
        /// Whether the check needs the transport to reach a server on 127.0.0.1.
        ///
        /// The others need only a request without a response, so they also suit a transport within the process, such as
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
        ///   - transport: The transport to check. It can be one that other checks use at the same time.
        ///   - limits: The times and sizes to use.
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

/// A rule of `HubTransport` that a transport breaks.
public struct TransportConformanceError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The rule: the description of the check that failed.
    public let rule: String
    /// What the transport did instead.
    public let problem: String

    /// Creates an error.
    ///
    /// - Parameters:
    ///   - rule: The description of the check that failed.
    ///   - problem: What the transport did instead.
    public init(rule: String, problem: String) {
        self.rule = rule
        self.problem = problem
    }

    /// The rule and the problem, in one line.
    public var description: String { "not met: \(rule): \(problem)" }
}

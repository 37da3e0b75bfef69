public import NotificationHubs

extension HubEmulator {
    /// A fault that makes some requests to the hub fail, or delays them.
    ///
    /// ```swift
    /// emulator.faults = [
    ///     .init(.status(429, retryAfter: .seconds(2)), on: .post, "/messages", when: .calls([1])),
    ///     .init(latency: .milliseconds(300), "/installations", when: .rate(0.5)),
    /// ]
    /// ```
    public struct Fault: Hashable, Sendable {
        /// The method of the affected requests; `nil` for any.
        public var method: HubRequest.Method?
        /// The first path segments of the affected requests, below the hub. Segments are case-insensitive; `*` matches any
        /// segment, and `/` matches all paths.
        public var path: String
        /// The affected hub, if several hubs share their faults; `nil` for any.
        public var hubName: String?
        /// The effect that replaces the hub's response; `nil` to return that response.
        public var effect: Effect?
        /// The delay before the effect or the response.
        public var latency: Duration
        /// The matching requests on which the fault triggers.
        public var occurrence: Occurrence

        /// Creates a fault that replaces the response.
        ///
        /// - Parameters:
        ///   - effect: The effect that replaces the response.
        ///   - method: The method of the affected requests; `nil` for any.
        ///   - path: The first path segments of the affected requests; see ``path``.
        ///   - latency: The delay before the effect.
        ///   - occurrence: The matching requests on which the fault triggers.
        ///   - hubName: The affected hub; `nil` for any.
        public init(
            _ effect: Effect, on method: HubRequest.Method? = nil, _ path: String = "/", latency: Duration = .zero,
            when occurrence: Occurrence = .always, hubName: String? = nil
        ) {
            self.init(
                effect: effect, method: method, path: path, latency: latency, occurrence: occurrence, hubName: hubName)
        }

        /// Creates a fault that only delays the response.
        ///
        /// - Parameters:
        ///   - latency: The delay.
        ///   - method: The method of the affected requests; `nil` for any.
        ///   - path: The first path segments of the affected requests; see ``path``.
        ///   - occurrence: The matching requests to delay.
        ///   - hubName: The affected hub; `nil` for any.
        public init(
            latency: Duration, on method: HubRequest.Method? = nil, _ path: String = "/",
            when occurrence: Occurrence = .always, hubName: String? = nil
        ) {
            self.init(
                effect: nil, method: method, path: path, latency: latency, occurrence: occurrence, hubName: hubName)
        }

        init(
            effect: Effect?, method: HubRequest.Method?, path: String, latency: Duration, occurrence: Occurrence,
            hubName: String?
        ) {
            self.method = method
            self.path = path
            self.effect = effect
            self.latency = latency
            self.occurrence = occurrence
            self.hubName = hubName
        }

        /// The effect of a fault on a request.
        #if hasAttribute(nonexhaustive)
        @nonexhaustive
        #endif
        public enum Effect: Hashable, Sendable {
            /// Returns a status without performing the request. `Retry-After` is rounded up to whole seconds.
            case status(Int, retryAfter: Duration? = nil)
            /// Sends no response until the client times out. The request is not performed.
            case stall
            /// Resets the connection without performing the request.
            case resetBefore
            /// Performs the request, then resets the connection instead of responding.
            case resetAfter
        }

        /// A selection among the requests that match a fault's method, path and hub.
        #if hasAttribute(nonexhaustive)
        @nonexhaustive
        #endif
        public enum Occurrence: Hashable, Sendable {
            /// Every request.
            case always
            /// A random share of the requests, from 0 to 1. The seed determines which ones.
            case rate(Double)
            /// The requests with the given numbers, counted from 1.
            case calls(Set<Int>)
            /// Every nth request: n, 2n, 3n and so on.
            case every(Int)
        }

        /// Returns whether a request matches the method, path and hub.
        func matches(_ request: HubRequest, of hub: NotificationHub.Name) -> Bool {
            if let method, method != request.method { return false }
            if let hubName, !hub.isSame(as: hubName) { return false }
            let all = request.path.split(separator: "/")
            guard let first = all.first, hub.isSame(as: String(first)) else { return false }
            let segments = all.dropFirst()
            let wanted = path.split(separator: "/")
            return segments.count >= wanted.count
                && zip(wanted, segments).allSatisfy { $0 == "*" || $0.lowercased() == $1.lowercased() }
        }
    }

    /// An ordered list of faults, and the seed for faults with a rate.
    ///
    /// Only the first fault that triggers on a request is applied. Each fault has its own random numbers: other requests do
    /// not change which of its matching requests trigger it.
    public struct Faults: Hashable, Sendable, ExpressibleByArrayLiteral {
        /// The faults, in the order of evaluation.
        public var faults: [Fault]
        /// The seed of the random numbers. The same seed selects the same requests.
        public var seed: UInt64

        /// Creates a list of faults in the order of evaluation.
        public init(_ faults: [Fault], seed: UInt64 = 1) {
            self.faults = faults
            self.seed = seed
        }

        /// Creates a list of faults in the order of evaluation, with the seed 1.
        public init(arrayLiteral faults: Fault...) {
            self.init(faults)
        }
    }

    /// The request counts of one fault.
    public struct FaultCount: Hashable, Sendable {
        /// The number of requests that matched the fault's method, path and hub.
        public internal(set) var matched = 0
        /// The number of requests to which the fault was applied.
        public internal(set) var triggered = 0
    }
}

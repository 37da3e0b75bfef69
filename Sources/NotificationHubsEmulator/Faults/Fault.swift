public import NotificationHubs

extension HubEmulator {
    /// A fault: a way in which some requests to the hub fail or are delayed.
    ///
    /// ```swift
    /// emulator.faults = [
    ///     .init(.status(429, retryAfter: .seconds(2)), on: .post, "/messages", when: .calls([1])),
    ///     .init(latency: .milliseconds(300), "/installations", when: .rate(0.5)),
    /// ]
    /// ```
    public struct Fault: Hashable, Sendable {
        /// The requests' method; `nil` for any.
        public var method: HubRequest.Method?
        /// What the requests' path begins with, below the hub: whole segments, in any case; `*` is any segment. `/` is
        /// everything.
        public var path: String
        /// The hub, where several share their faults; `nil` for any.
        public var hubName: String?
        /// What becomes of a request in place of the hub's response; `nil` if that is given.
        public var effect: Effect?
        /// How long before that nothing happens.
        public var latency: Duration
        /// The requests to which the effect applies.
        public var occurrence: Occurrence

        /// A fault that replaces the response.
        ///
        /// - Parameters:
        ///   - effect: The effect on a request.
        ///   - method: The requests' method; `nil` for any.
        ///   - path: The first segments of the requests' path; see ``path``.
        ///   - latency: The delay before the effect.
        ///   - occurrence: The requests to which the effect applies.
        ///   - hubName: The requests' hub; `nil` for any.
        public init(
            _ effect: Effect, on method: HubRequest.Method? = nil, _ path: String = "/", latency: Duration = .zero,
            when occurrence: Occurrence = .always, hubName: String? = nil
        ) {
            self.init(
                effect: effect, method: method, path: path, latency: latency, occurrence: occurrence, hubName: hubName)
        }

        /// A fault that only delays the response.
        ///
        /// - Parameters:
        ///   - latency: The delay.
        ///   - method: The requests' method; `nil` for any.
        ///   - path: The first segments of the requests' path; see ``path``.
        ///   - occurrence: The requests that are delayed.
        ///   - hubName: The requests' hub; `nil` for any.
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
            /// It is answered with a status, and not carried out. `Retry-After` is given in whole seconds.
            case status(Int, retryAfter: Duration? = nil)
            /// It is not carried out, and the client waits until it gives up.
            case stall
            /// The connection is reset, and nothing is carried out.
            case resetBefore
            /// The request is carried out, and the connection is reset in place of the response.
            case resetAfter
        }

        /// The requests to which a fault applies, among those that match its method, path and hub.
        #if hasAttribute(nonexhaustive)
        @nonexhaustive
        #endif
        public enum Occurrence: Hashable, Sendable {
            /// All of them.
            case always
            /// As many of a hundred as a hundred times this, from 0 to 1, picked by the seed.
            case rate(Double)
            /// Those of these numbers, counted from 1 on.
            case calls(Set<Int>)
            /// The one of this number, and each that comes as many later.
            case every(Int)
        }

        /// Whether a request matches the method, path and hub.
        func matches(_ request: HubRequest, of hub: NotificationHub.Name) -> Bool {
            if let method, method != request.method { return false }
            if let hubName, !hub.isSame(as: hubName) { return false }
            let all = request.path.split(separator: "/")
            guard let first = all.first, hub.isSame(as: first) else { return false }
            let segments = all.dropFirst()
            let wanted = path.split(separator: "/")
            return segments.count >= wanted.count
                && zip(wanted, segments).allSatisfy { $0 == "*" || $0.lowercased() == $1.lowercased() }
        }
    }

    /// Faults in order, and the seed for those with a rate.
    ///
    /// The first fault that triggers on a request applies. Each fault has its own random numbers: it triggers on the same
    /// requests of a kind, whatever comes between them.
    public struct Faults: Hashable, Sendable, ExpressibleByArrayLiteral {
        /// The faults.
        public var faults: [Fault]
        /// The seed. The same seed triggers on the same requests.
        public var seed: UInt64

        /// Faults in the order in which they are asked.
        public init(_ faults: [Fault], seed: UInt64 = 1) {
            self.faults = faults
            self.seed = seed
        }

        /// Faults in the order in which they are asked, with the seed 1.
        public init(arrayLiteral faults: Fault...) {
            self.init(faults)
        }
    }

    /// The counts of one fault.
    public struct FaultCount: Hashable, Sendable {
        /// The number of requests with the fault's method, path and hub.
        public internal(set) var matched = 0
        /// The number of requests on which the fault triggered.
        public internal(set) var triggered = 0
    }
}

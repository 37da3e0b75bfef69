public import NotificationHubs

extension HubEmulator {
    /// What is to go wrong with some of the requests to an emulated hub, to see how a client takes it.
    ///
    /// ```swift
    /// emulator.faults = HubEmulator.Faults([
    ///     .init(.post, "/messages", .status(429, retryAfter: .seconds(2)), when: .calls([1])),
    ///     .init(nil, "/installations", latency: .milliseconds(300), when: .rate(0.5)),
    /// ])
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
        /// Which of the requests are struck.
        public var occurrence: Occurrence

        /// A fault.
        public init(
            _ method: HubRequest.Method?, _ path: String, _ effect: Effect? = nil, latency: Duration = .zero,
            when occurrence: Occurrence = .always, hubName: String? = nil
        ) {
            self.method = method
            self.path = path
            self.effect = effect
            self.latency = latency
            self.occurrence = occurrence
            self.hubName = hubName
        }

        /// What becomes of a request.
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

        /// Which of the requests that a fault is for are struck.
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

        /// Whether a request is one that the fault is for.
        func concerns(_ request: HubRequest, of hub: NotificationHub.Name) -> Bool {
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

    /// Faults, and the seed that decides which of the requests are struck by those that strike at a rate.
    ///
    /// The first one that strikes a request counts. Each fault has random numbers of its own, so that the same requests of a
    /// kind in the same order are struck whatever comes between them.
    public struct Faults: Hashable, Sendable {
        /// The faults.
        public var faults: [Fault]
        /// The seed. The same one strikes the same requests.
        public var seed: UInt64

        /// Faults in the order in which they are asked.
        public init(_ faults: [Fault] = [], seed: UInt64 = 1) {
            self.faults = faults
            self.seed = seed
        }
    }

    /// How often a fault was asked, and how often it has struck.
    public struct FaultCount: Hashable, Sendable {
        /// How many requests it was for.
        public internal(set) var concerned = 0
        /// How many it has struck.
        public internal(set) var struck = 0
    }
}

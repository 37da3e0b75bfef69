import HubLock
import NotificationHubs

extension HubEmulator {
    /// What is to go wrong. To set them begins all counts anew, and the random numbers too.
    ///
    /// ``respond(to:)`` knows nothing of them: they strike on the way, in ``send(_:timeout:)`` and in ``LoopbackServer``.
    public var faults: Faults {
        get { faultState.withLock { $0.faults } }
        set { faultState.withLock { $0 = FaultState(newValue) } }
    }

    /// How often each of the faults was asked, and has struck, in their order.
    public var faultCounts: [FaultCount] {
        faultState.withLock { $0.counts }
    }

    /// The faults and their counts at one time.
    var faultsWithCounts: (faults: Faults, counts: [FaultCount]) {
        faultState.withLock { ($0.faults, $0.counts) }
    }

    /// Counts a request.
    ///
    /// - Returns: the fault that strikes it.
    func strike(_ request: HubRequest) -> Fault? {
        faultState.withLock { $0.strike(request, of: hubName) }
    }

    /// The response of a fault.
    func response(status: Int, retryAfter: Duration?) -> HubResponse {
        var response = ServiceResponse.error(status: status, "The emulator was told to answer this", now: now())
        if let (seconds, attoseconds) = retryAfter?.components {
            response.headers["Retry-After"] = "\(seconds + (attoseconds > 0 ? 1 : 0))"
        }
        return response
    }
}

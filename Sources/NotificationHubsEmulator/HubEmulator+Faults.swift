import HubLock
import NotificationHubs

extension HubEmulator {
    /// The faults. Setting them restarts all counts and the random numbers.
    ///
    /// They apply in ``send(_:timeout:)`` and in ``Server``.
    public var faults: Faults {
        get { faultState.withLock { $0.faults } }
        set { faultState.withLock { $0 = FaultState(newValue) } }
    }

    /// The counts of the faults, in the faults' order.
    public var faultCounts: [FaultCount] {
        faultState.withLock { $0.counts }
    }

    /// The faults and their counts at one time.
    var faultsWithCounts: (faults: Faults, counts: [FaultCount]) {
        faultState.withLock { ($0.faults, $0.counts) }
    }

    /// Counts a request.
    ///
    /// - Returns: the fault that triggers on it.
    func fault(for request: HubRequest) -> Fault? {
        faultState.withLock { $0.trigger(request, of: hubName) }
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

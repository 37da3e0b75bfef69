import HubLock
package import NotificationHubs

extension HubEmulator {
    /// The injected faults. Setting them resets all counts and the random numbers.
    ///
    /// Faults apply in ``send(_:timeout:)`` and in `HubEmulator.Server`.
    public var faults: Faults {
        get { faultState.withLock { $0.faults } }
        set { faultState.withLock { $0 = FaultState(newValue) } }
    }

    /// The counts of each fault, in the order of ``faults``.
    public var faultCounts: [FaultCount] {
        faultState.withLock { $0.counts }
    }

    /// The faults and their counts, read together.
    package var faultsWithCounts: (faults: Faults, counts: [FaultCount]) {
        faultState.withLock { ($0.faults, $0.counts) }
    }

    /// Counts a request and returns the fault that triggers on it, if any.
    package func fault(for request: HubRequest) -> Fault? {
        faultState.withLock { $0.trigger(request, of: hubName) }
    }

    /// Returns the response that a fault injects.
    package func response(status: Int, retryAfter: Duration?) -> HubResponse {
        var response = ServiceResponse.error(status: status, "Injected by an emulator fault", now: now())
        if let (seconds, attoseconds) = retryAfter?.components {
            response.headers["Retry-After"] = "\(seconds + (attoseconds > 0 ? 1 : 0))"
        }
        return response
    }
}

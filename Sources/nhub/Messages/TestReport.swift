import HubCommandLine
import NotificationHubs

/// What became of a test send, device by device.
struct TestReport {
    private let outcome: PushNotification.TestOutcome
    private let showsHandles: Bool

    /// - Parameter showsHandles: whether to print the devices' handles, which are secrets.
    init(_ outcome: PushNotification.TestOutcome, showsHandles: Bool) {
        self.outcome = outcome
        self.showsHandles = showsHandles
    }

    /// - Returns: a failure if a platform refused it at a device.
    func write(asJSON: Bool) throws(Console.Unwritable) -> ExitStatus {
        var fields = Fields()
        fields.addLine("succeeded", outcome.successCount.map(String.init) ?? "not said")
        fields.addLine("failed", outcome.failureCount.map(String.init) ?? "not said")
        fields.addMember { object in
            if let count = outcome.successCount { object.add("successCount", Int64(count)) }
            if let count = outcome.failureCount { object.add("failureCount", Int64(count)) }
            object.add("results", outcome.results.map(self.object))
        }
        if outcome.results.isEmpty { fields.addLine("device", "none was found") }
        for result in outcome.results {
            let registration = result.registrationID.map { "(registration \($0))" }
            let parts = [result.platform?.format, showsHandles ? result.handle : nil, result.outcome, registration]
            fields.addLine("device", parts.compactMap(\.self).joined(separator: "  "))
        }
        fields.add(outcome.receipt)
        try fields.write(asJSON: asJSON)
        return outcome.failureCount ?? 0 > 0 ? .failure : .success
    }

    private func object(_ result: PushNotification.TestOutcome.Result) -> JSONOutput {
        var object = JSONOutput()
        if let platform = result.platform?.format { object.add("platform", platform) }
        if showsHandles, let handle = result.handle { object.add("handle", handle) }
        if let id = result.registrationID?.rawValue { object.add("registrationId", id) }
        if let text = result.outcome { object.add("outcome", text) }
        return object
    }
}

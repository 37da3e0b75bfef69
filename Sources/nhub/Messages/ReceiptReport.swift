import HubCommandLine
import NotificationHubs

/// Reports of messages that the hub has accepted.
enum ReceiptReport {
    /// Writes the report of a message that the hub sends now.
    static func write(
        _ receipt: PushNotification.Receipt, _ problems: [PlatformProblem], asJSON: Bool
    ) throws(Console.WriteError) {
        var fields = accepted("the hub is sending the message", problems)
        fields.add(receipt)
        try fields.write(asJSON: asJSON)
    }

    /// Writes the report of a message that the hub sends later.
    static func write(
        _ id: PushNotification.ID, at time: Moment, _ problems: [PlatformProblem], asJSON: Bool
    ) throws(Console.WriteError) {
        var fields = accepted("the hub will send the message later", problems)
        fields.add("time", "scheduledFor", time.text)
        fields.add("notification ID", "notificationId", id.rawValue)
        try fields.write(asJSON: asJSON)
    }

    private static func accepted(_ text: String, _ problems: [PlatformProblem]) -> Fields {
        var fields = Fields()
        fields.addLine("accepted", text)
        fields.addMember {
            $0.add("accepted", true)
            if !problems.isEmpty { $0.add("problems", problems.objects) }
        }
        return fields
    }
}

extension Fields {
    /// Adds the IDs of a receipt.
    mutating func add(_ receipt: PushNotification.Receipt) {
        if receipt.notificationID == nil {
            addLine("notification ID", "none (returned only in the Standard tier)")
        }
        add("notification ID", "notificationId", receipt.notificationID?.rawValue)
        add("tracking ID", "trackingId", receipt.trackingID)
        add("correlation ID", "correlationId", receipt.correlationID)
    }
}

/// A report of a test send, with the result for each device.
struct TestReport {
    private let outcome: PushNotification.TestOutcome
    private let showsHandles: Bool

    /// Creates a report.
    ///
    /// - Parameter showsHandles: Whether to include the devices' handles, which are secret.
    init(_ outcome: PushNotification.TestOutcome, showsHandles: Bool) {
        self.outcome = outcome
        self.showsHandles = showsHandles
    }

    /// Writes the report.
    ///
    /// - Returns: `failure` if a platform rejected the message for a device.
    func write(asJSON: Bool) throws(Console.WriteError) -> ExitStatus {
        var fields = Fields()
        fields.addLine("succeeded", outcome.successCount.map(String.init) ?? "unknown")
        fields.addLine("failed", outcome.failureCount.map(String.init) ?? "unknown")
        fields.addMember { object in
            if let count = outcome.successCount { object.add("successCount", Int64(count)) }
            if let count = outcome.failureCount { object.add("failureCount", Int64(count)) }
            object.add("results", outcome.results.map(self.object))
        }
        if outcome.results.isEmpty { fields.addLine("device", "none found") }
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

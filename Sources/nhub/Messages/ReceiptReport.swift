import HubCommandLine
import NotificationHubs

/// The report of a message that the hub has accepted.
enum ReceiptReport {
    /// Writes the report of a message that the hub sends now.
    static func write(_ receipt: PushNotification.Receipt, asJSON: Bool) throws(Console.Unwritable) {
        var fields = accepted("the hub sends it")
        fields.add(receipt)
        try fields.write(asJSON: asJSON)
    }

    /// Writes the report of a message that the hub sends later.
    static func write(_ id: PushNotification.ID, at time: Moment, asJSON: Bool) throws(Console.Unwritable) {
        var fields = accepted("the hub sends it later")
        fields.add("time", "scheduledFor", time.text)
        fields.add("notification id", "notificationId", id.rawValue)
        try fields.write(asJSON: asJSON)
    }

    private static func accepted(_ text: String) -> Fields {
        var fields = Fields()
        fields.addLine("accepted", text)
        fields.addMember { $0.add("accepted", true) }
        return fields
    }
}

extension Fields {
    /// Adds the ids of a receipt.
    mutating func add(_ receipt: PushNotification.Receipt) {
        if receipt.notificationID == nil {
            addLine("notification id", "none: the Standard tier alone gives one")
        }
        add("notification id", "notificationId", receipt.notificationID?.rawValue)
        add("tracking id", "trackingId", receipt.trackingID)
        add("correlation id", "correlationId", receipt.correlationID)
    }
}

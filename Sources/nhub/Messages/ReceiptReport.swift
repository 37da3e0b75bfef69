import HubCommandLine
import NotificationHubs

/// What the hub says of a message that it has taken.
struct ReceiptReport {
    private let receipt: PushNotification.Receipt
    private let time: Moment?

    /// - Parameter time: when it will be sent, if not now.
    init(_ receipt: PushNotification.Receipt, at time: Moment? = nil) {
        self.receipt = receipt
        self.time = time
    }

    func write(asJSON: Bool) throws(Console.Unwritable) {
        var fields = Fields()
        fields.addLine("accepted", time == nil ? "the hub sends it" : "the hub sends it later")
        fields.addMember { $0.add("accepted", true) }
        fields.add("time", "scheduledFor", time?.text)
        fields.add(receipt)
        try fields.write(asJSON: asJSON)
    }
}

extension Fields {
    /// Adds the ids of a receipt.
    mutating func add(_ receipt: PushNotification.Receipt) {
        if receipt.notificationID == nil {
            addLine("notification id", "none: the Standard tier alone gives one")
        }
        add("notification id", "notificationId", receipt.notificationID?.text)
        add("tracking id", "trackingId", receipt.trackingID)
        add("correlation id", "correlationId", receipt.correlationID)
    }
}

import NotificationHubs

/// What the service answers to a test send.
enum TestOutcome {
    /// - Parameter recipients: who got it; here, everyone's platform takes it.
    static func xml(of recipients: [Recipient]) -> String {
        let results = recipients.map { recipient in
            "<RegistrationResult><ApplicationPlatform>\(recipient.channel.platform)</ApplicationPlatform>"
                + "<PnsHandle>\(XMLText.escaped(recipient.channel.handle))</PnsHandle>"
                + "<RegistrationId>\(recipient.registrationID)</RegistrationId>"
                + "<Outcome>The Notification was successfully sent to the Push Notification System</Outcome>"
                + "</RegistrationResult>"
        }
        return "<NotificationOutcome xmlns=\"\(NotificationRecord.namespace)\""
            + " xmlns:i=\"http://www.w3.org/2001/XMLSchema-instance\">"
            + "<Success>\(results.count)</Success><Failure>0</Failure>"
            + (results.isEmpty ? "<Results/>" : "<Results>\(results.joined())</Results>") + "</NotificationOutcome>"
    }
}

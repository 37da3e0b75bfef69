import NotificationHubs

/// What the service answers to a test send.
enum TestOutcome {
    static func xml(of reach: Reach) -> String {
        let words = "The Notification was successfully sent to the Push Notification System"
        let outcomes = reach.reached.map { ($0, words) } + reach.expired.map { ($0, "ExpiredChannel") }
        let results = outcomes.map { recipient, outcome in
            "<RegistrationResult><ApplicationPlatform>\(recipient.channel.platform)</ApplicationPlatform>"
                + "<PnsHandle>\(XMLText.escaped(recipient.channel.handle))</PnsHandle>"
                + "<RegistrationId>\(recipient.registrationID)</RegistrationId>"
                + "<Outcome>\(outcome)</Outcome>"
                + "</RegistrationResult>"
        }
        return "<NotificationOutcome xmlns=\"\(NotificationRecord.namespace)\""
            + " xmlns:i=\"http://www.w3.org/2001/XMLSchema-instance\">"
            + "<Success>\(reach.reached.count)</Success><Failure>\(reach.expired.count)</Failure>"
            + (results.isEmpty ? "<Results/>" : "<Results>\(results.joined())</Results>") + "</NotificationOutcome>"
    }
}

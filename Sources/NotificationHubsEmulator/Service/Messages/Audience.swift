import NotificationHubs

/// Whom a message is for: what has the tags of an expression, or everyone.
struct Audience: Sendable {
    /// The expression as it was sent; `nil` for everyone.
    let text: String?
    /// What it says.
    let condition: TagCondition?

    /// Without the header, or with an empty one, the service sends to everyone; so does the emulator.
    init(_ headers: HubHeaders) throws(ServiceRefusal) {
        let text = headers["ServiceBusNotification-Tags"] ?? ""
        guard text.utf8.contains(where: { $0 != 0x20 && $0 != 0x09 }) else {
            (self.text, condition) = (nil, nil)
            return
        }
        do {
            condition = TagCondition(try TagExpression(validating: text))
        } catch {
            throw .badRequest("The supplied notification tag expression is invalid: \(error)")
        }
        self.text = text
    }
}

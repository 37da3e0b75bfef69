import NotificationHubs

/// The tags of a place that messages go to.
struct RecipientTags: Hashable, Sendable {
    /// Those of the device or the tile.
    var device: [NotificationHub.Tag] = []
    /// The template's own.
    var template: [NotificationHub.Tag] = []
    /// The installation, of whose id and user the service makes tags; `nil` for a registration, which brings such tags of its
    /// own, and for a device that is addressed by its handle.
    var installationID: Installation.ID?
    /// The installation's user.
    var userID: Installation.UserID?

    init(installation: Installation?, device: [NotificationHub.Tag], template: [NotificationHub.Tag]) {
        (self.device, self.template) = (device, template)
        (installationID, userID) = (installation?.id, installation?.userID)
    }

    /// None.
    init() {}

    /// Whether an operand of a tag expression is true of the place.
    func contains(_ operand: TagExpression.Node) -> Bool {
        if installationID != nil {
            if case .installation(let id) = operand { return id == installationID }
            if case .user(let id) = operand { return id == userID }
        }
        let tag = NotificationHub.Tag(unchecked: operand.text)
        return device.contains(tag) || template.contains(tag)
    }

    /// The tags that the service makes of an installation's id and its user.
    static func made(of id: Installation.ID, _ userID: Installation.UserID?) -> [String] {
        [TagExpression.Node.installation(id).text] + (userID.map { [TagExpression.Node.user($0).text] } ?? [])
    }
}

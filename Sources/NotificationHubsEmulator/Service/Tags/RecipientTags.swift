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
    func contains(_ operand: TagExpression.Node) -> Bool { contains(operand.text) }

    /// Whether the place has a tag, including those that the service makes.
    func contains(_ tag: String) -> Bool {
        if let installationID, tag.utf8.first == UInt8(ascii: "$") {
            return Self.made(of: installationID, userID).contains { $0.utf8.elementsEqual(tag.utf8) }
        }
        let tag = NotificationHub.Tag(unchecked: tag)
        return device.contains(tag) || template.contains(tag)
    }

    /// The tags that the service makes of an installation's id and its user.
    static func made(of id: Installation.ID, _ userID: Installation.UserID?) -> [String] {
        [TagExpression.Node.installation(id).text] + (userID.map { [TagExpression.Node.user($0).text] } ?? [])
    }
}

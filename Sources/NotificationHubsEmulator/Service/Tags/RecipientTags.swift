import HubText
import NotificationHubs

/// A recipient's tags.
package struct RecipientTags: Hashable, Sendable {
    /// The tags of the device or the tile.
    var device: [NotificationHub.Tag] = []
    /// The tags of the template.
    var template: [NotificationHub.Tag] = []
    /// The installation whose ID and user the service turns into tags.
    ///
    /// `nil` for a device that is addressed by its handle, and for a registration, which lists such tags itself.
    var installationID: Installation.ID?
    /// The installation's user.
    var userID: Installation.UserID?

    /// Returns whether the recipient matches an operand of a tag expression.
    func contains(_ operand: TagExpression.Node) -> Bool { contains(operand.text) }

    /// Returns whether the recipient has a tag, including the tags that the service generates.
    package func contains(_ tag: String) -> Bool {
        let tag = NotificationHub.Tag(unchecked: tag)
        if let installationID, tag.isGenerated {
            return Self.generated(for: installationID, userID).contains { $0.hasSameBytes(as: tag.rawValue) }
        }
        return device.contains(tag) || template.contains(tag)
    }

    /// Returns the tags that the service generates from an installation's ID and user.
    static func generated(for id: Installation.ID, _ userID: Installation.UserID?) -> [String] {
        [TagExpression.Node.installation(id).text] + (userID.map { [TagExpression.Node.user($0).text] } ?? [])
    }
}

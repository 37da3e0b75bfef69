import HubText

extension Installation {
    /// The installation as it is sent: checked, and without what only the service says.
    ///
    /// - Throws: ``HubValidationError`` for what the service would not take.
    package func checked() throws(HubValidationError) -> Installation {
        try pushChannel.check()
        if let userID { try userID.check() }
        try Self.checkTags(tags)
        if let expirationTime, Timestamp(expirationTime) == nil {
            throw HubValidationError(.invalidDate, "must be in the years 1 to 9999", path: "expirationTime")
        }
        var checked = self
        checked.isPushChannelExpired = nil
        // What does not end is said by no time at all; the service's own last moment may be too much for it.
        if let expirationTime, let time = Timestamp(expirationTime), time >= .last { checked.expirationTime = nil }
        checked.templates = try Self.checkedTemplates(templates)
        for (id, tile) in secondaryTiles { checked.secondaryTiles[id] = try tile.checked(id) }
        return checked
    }

    static func checkedTemplates(
        _ templates: [Template.Name: Template]
    ) throws(HubValidationError) -> [Template.Name: Template] {
        var checked = templates
        for (name, template) in templates { checked[name] = try template.checked(name) }
        return checked
    }

    static func checkTags(_ tags: [NotificationHub.Tag]) throws(HubValidationError) {
        guard tags.count <= maximumTagCount else {
            throw HubValidationError(
                .tooManyTags, "\(tags.count) tags (at most \(maximumTagCount))", path: "tags")
        }
        for (index, tag) in tags.enumerated() {
            do {
                try tag.check()
            } catch {
                throw error.at("tags/\(index)")
            }
        }
    }
}

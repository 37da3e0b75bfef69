extension Installation.Patch {
    /// Reads an array of operations (RFC 6902) as the service's documentation and other SDKs have them.
    ///
    /// Each becomes a patch of a kind that this type has: operations on `/tags`, `/tags/{tag}`, `/templates/{name}`,
    /// `/userId` and `/pushChannel`. Several tags in one text are refused, which the service would take for one tag; an
    /// array of tags becomes an operation for each. What the service would not take is found when the patches are sent.
    ///
    /// - Throws: ``Installation/Unreadable`` for any other operation: none is left out.
    public static func patches(json bytes: some Sequence<UInt8>) throws(Installation.Unreadable) -> [Installation.Patch]
    {
        let value: NotificationHub.JSONValue
        do {
            value = try NotificationHub.JSONValue(parsing: bytes)
        } catch {
            throw Installation.Unreadable(description: "no JSON: \(error)")
        }
        guard case .array(let operations) = value else { throw Installation.Unreadable("", "is no array") }
        var patches: [Installation.Patch] = []
        for (index, operation) in operations.enumerated() { patches.append(try patch(operation, at: "\(index)")) }
        return patches
    }

    private static func patch(
        _ json: NotificationHub.JSONValue, at place: String
    ) throws(Installation.Unreadable) -> Installation.Patch {
        var reader = try MemberReader(json, at: place)
        let name = try reader.required("op").text()
        let path = try reader.required("path")
        let names = try path.pointer()
        let value = reader.optional("value")

        func required() throws(Installation.Unreadable) -> MemberReader.Member {
            guard let value else { throw Installation.Unreadable("\(place)/value", "is required") }
            return value
        }
        switch (name, names.first, names.dropFirst().first, names.count) {
        case ("add", "tags", "-", 2): return .addTags([try required().tag()])
        case ("add", "tags", nil, 1):
            let tags = try required().oneOrMoreTags()
            guard !tags.isEmpty else { throw Installation.Unreadable("\(place)/value", "has no tag to add") }
            return .addTags(tags)
        case ("replace", "tags", nil, 1): return .setTags(try required().oneOrMoreTags())
        case ("remove", "tags", nil, 1): return .removeAllTags
        case ("remove", "tags", let tag?, 2): return .removeTag(NotificationHub.Tag(unchecked: tag))
        case ("add", "templates", let template?, 2), ("replace", "templates", let template?, 2):
            return .setTemplate(.init(unchecked: template), try required().template())
        case ("remove", "templates", let template?, 2): return .removeTemplate(.init(unchecked: template))
        case ("add", "userId", nil, 1), ("replace", "userId", nil, 1):
            return .setUserID(Installation.UserID(unchecked: try required().text()))
        case ("remove", "userId", nil, 1): return .removeUserID
        case ("add", "pushChannel", nil, 1), ("replace", "pushChannel", nil, 1): return try required().channelPatch()
        case ("add", _, _, _), ("replace", _, _, _), ("remove", _, _, _):
            throw Installation.Unreadable(path.path, "is nothing that \(name) is known to change")
        default: throw Installation.Unreadable("\(place)/op", "is neither add, replace nor remove")
        }
    }
}

extension MemberReader.Member {
    /// The names of a JSON pointer (RFC 6901).
    fileprivate func pointer() throws(Installation.Unreadable) -> [String] {
        let parts = try text().utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        guard parts.count > 1, parts[0].isEmpty else { throw Installation.Unreadable(path, "does not begin with /") }
        var names: [String] = []
        for part in parts.dropFirst() {
            var name: [UInt8] = []
            var rest = part
            while let byte = rest.popFirst() {
                guard byte == UInt8(ascii: "~") else {
                    name.append(byte)
                    continue
                }
                switch rest.popFirst() {
                case UInt8(ascii: "0"): name.append(UInt8(ascii: "~"))
                case UInt8(ascii: "1"): name.append(UInt8(ascii: "/"))
                default: throw Installation.Unreadable(path, "has a ~ without 0 or 1 behind it")
                }
            }
            names.append(String(decoding: name, as: UTF8.self))
        }
        return names
    }

    fileprivate func oneOrMoreTags() throws(Installation.Unreadable) -> [NotificationHub.Tag] {
        guard case .array(let values) = value else { return [try tag()] }
        var tags: [NotificationHub.Tag] = []
        for (index, value) in values.enumerated() {
            tags.append(try Self(value: value, path: "\(path)/\(index)").tag())
        }
        return tags
    }

    fileprivate func tag() throws(Installation.Unreadable) -> NotificationHub.Tag {
        let text = try text()
        if text.utf8.contains(UInt8(ascii: ",")) {
            throw Installation.Unreadable(path, "has a comma, which no tag has: write several tags as an array")
        }
        return NotificationHub.Tag(unchecked: text)
    }

    /// A template: an object, or the text of one, as other SDKs send it.
    fileprivate func template() throws(Installation.Unreadable) -> Installation.Template {
        guard case .string(let text) = value else { return try Installation.Template(value, at: path) }
        let json: NotificationHub.JSONValue
        do {
            json = try NotificationHub.JSONValue(parsing: text.utf8)
        } catch {
            throw Installation.Unreadable(path, "is no JSON: \(error)")
        }
        return try Installation.Template(json, at: path)
    }

    /// A channel, whose platform an operation does not say: an object is a browser's.
    fileprivate func channelPatch() throws(Installation.Unreadable) -> Installation.Patch {
        guard case .string(let handle) = value else {
            return .setPushChannel(try PushChannel(platform: .browser, value))
        }
        return Installation.Patch(change: .setHandle(handle))
    }
}

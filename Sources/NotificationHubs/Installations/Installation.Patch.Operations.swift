extension Installation.Patch {
    /// The body of a request: an array of operations (RFC 6902) whose values are texts, as every SDK of Microsoft's sends
    /// them.
    ///
    /// - Throws: ``NotificationHub/InvalidName`` for what the service would not take.
    static func json(
        _ patches: [Installation.Patch]
    ) throws(NotificationHub.InvalidName) -> [NotificationHub.JSONValue] {
        var operations: [NotificationHub.JSONValue] = []
        for (index, patch) in patches.enumerated() {
            do {
                operations += try patch.operations()
            } catch {
                throw NotificationHub.InvalidName(description: "in patch \(index + 1) of \(patches.count): \(error)")
            }
        }
        return operations
    }

    private func operations() throws(NotificationHub.InvalidName) -> [NotificationHub.JSONValue] {
        switch change {
        case .addTags(let tags):
            try Installation.checkTags(tags)
            return tags.map { .operation("add", ["tags"], $0.text) }
        case .setTags(let tags):
            try Installation.checkTags(tags)
            guard let first = tags.first else { return [.operation("remove", ["tags"])] }
            return [.operation("replace", ["tags"], first.text)]
                + tags.dropFirst().map { .operation("add", ["tags"], $0.text) }
        case .removeTag(let tag):
            guard !tag.text.isEmpty else {
                throw NotificationHub.InvalidName(description: "a tag has one character at least")
            }
            return [.operation("remove", ["tags", tag.text])]
        case .setTemplate(let name, let template):
            return [.operation("add", ["templates", name.text], try template.checked(name).json.text)]
        case .removeTemplate(let name):
            guard !name.text.isEmpty else {
                throw NotificationHub.InvalidName(description: "a template's name has one character at least")
            }
            return [.operation("remove", ["templates", name.text])]
        case .setUserID(let userID):
            try userID.check()
            return [.operation("add", ["userId"], userID.text)]
        case .removeUserID:
            return [.operation("remove", ["userId"])]
        case .setPushChannel(let channel):
            try channel.check()
            return [.operation("replace", ["pushChannel"], channel.json.asText)]
        case .setHandle(let handle):
            guard !handle.isEmpty else {
                throw NotificationHub.InvalidName(description: "a push channel has one character at least")
            }
            return [.operation("replace", ["pushChannel"], handle)]
        }
    }
}

extension NotificationHub.JSONValue {
    /// An operation; the path's names are escaped (RFC 6901 §3).
    fileprivate static func operation(_ name: String, _ path: [String], _ value: String? = nil) -> Self {
        var operation: NotificationHub.JSONObject = ["op": .string(name)]
        operation["path"] = .string(path.map { "/" + escaped($0) }.joined())
        operation["value"] = value.map { .string($0) }
        return .object(operation)
    }

    private static func escaped(_ name: String) -> String {
        let bytes = name.utf8.flatMap { byte -> [UInt8] in
            switch byte {
            case UInt8(ascii: "~"): Array("~0".utf8)
            case UInt8(ascii: "/"): Array("~1".utf8)
            default: [byte]
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// A text as it is, anything else as the text of its JSON.
    fileprivate var asText: String {
        guard case .string(let text) = self else { return text }
        return text
    }
}

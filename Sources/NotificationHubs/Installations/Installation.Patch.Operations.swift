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
        case .tags(let change): return try change.operations(at: [])
        case .setTemplate(let name, let template): return [try .set(template, name, at: [])]
        case .removeTemplate(let name): return [try .remove(name, at: [])]
        case .changeTemplate(let name, let change): return try change.operations(name, at: [])
        case .changeSecondaryTile(let id, let change): return try change.operations(tile: id)
        case .setUserID(let userID):
            try userID.check()
            return [.operation("add", ["userId"], userID.text)]
        case .removeUserID:
            return [.operation("remove", ["userId"])]
        case .setPushChannel(let channel):
            try channel.check()
            return [.operation("replace", ["pushChannel"], channel.text)]
        }
    }
}

extension Installation.TagChange {
    /// - Parameter path: what leads to the tags' owner.
    fileprivate func operations(at path: [String]) throws(NotificationHub.InvalidName) -> [NotificationHub.JSONValue] {
        let path = path + ["tags"]
        switch self {
        case .add(let tags):
            try Installation.checkTags(tags)
            return tags.map { .operation("add", path, $0.text) }
        case .remove(let tag):
            guard !tag.text.isEmpty else {
                throw NotificationHub.InvalidName(description: "a tag has one character at least")
            }
            return [.operation("remove", path + [tag.text])]
        case .set(let tags):
            try Installation.checkTags(tags)
            guard let first = tags.first else { return [.operation("remove", path)] }
            return [.operation("replace", path, first.text)]
                + tags.dropFirst().map { .operation("add", path, $0.text) }
        }
    }
}

extension Installation.Template.Change {
    /// - Parameter path: what leads to the templates' owner.
    fileprivate func operations(
        _ name: Installation.Template.Name, at path: [String]
    ) throws(NotificationHub.InvalidName) -> [NotificationHub.JSONValue] {
        try name.check()
        let path = path + ["templates", name.text]
        do {
            switch self {
            case .setBody(let body): return [.operation("add", path + ["body"], body)]
            case .setHeaders(let headers):
                try Installation.Template.checkHeaders(headers)
                let json = NotificationHub.JSONValue.texts(headers)
                return [.operation(json == nil ? "remove" : "add", path + ["headers"], json?.text)]
            case .setHeader(let header, let value):
                try Installation.Template.checkHeaders([header: value])
                return [.operation("add", path + ["headers", header], value)]
            case .removeHeader(let header):
                try Installation.Template.checkHeaders([header: ""])
                return [.operation("remove", path + ["headers", header])]
            case .setExpiry(let expiry): return [.operation("add", path + ["expiry"], expiry.text)]
            case .removeExpiry: return [.operation("remove", path + ["expiry"])]
            case .tags(let change): return try change.operations(at: path)
            }
        } catch {
            throw NotificationHub.InvalidName(description: "in the template \(name.text.shown): \(error)")
        }
    }
}

extension Installation.SecondaryTile.Change {
    fileprivate func operations(tile id: String) throws(NotificationHub.InvalidName) -> [NotificationHub.JSONValue] {
        let path = ["secondaryTiles", id]
        do {
            guard !id.isEmpty else { throw NotificationHub.InvalidName(description: "a tile needs an id") }
            switch self {
            case .setPushChannel(let channel):
                try channel.check()
                return [.operation("add", path + ["pushChannel"], channel.text)]
            case .tags(let change): return try change.operations(at: path)
            case .setTemplate(let name, let template): return [try .set(template, name, at: path)]
            case .removeTemplate(let name): return [try .remove(name, at: path)]
            case .changeTemplate(let name, let change): return try change.operations(name, at: path)
            }
        } catch {
            throw NotificationHub.InvalidName(description: "in the secondary tile \(id.shown): \(error)")
        }
    }
}

extension NotificationHub.JSONValue {
    fileprivate static func set(
        _ template: Installation.Template, _ name: Installation.Template.Name, at path: [String]
    ) throws(NotificationHub.InvalidName) -> Self {
        .operation("add", path + ["templates", name.text], try template.checked(name).json.text)
    }

    fileprivate static func remove(
        _ name: Installation.Template.Name, at path: [String]
    ) throws(NotificationHub.InvalidName) -> Self {
        guard !name.text.isEmpty else {
            throw NotificationHub.InvalidName(description: "a template's name has one character at least")
        }
        return .operation("remove", path + ["templates", name.text])
    }

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
}

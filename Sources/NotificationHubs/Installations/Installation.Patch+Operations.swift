extension Installation.Patch {
    /// Returns the JSON Patch operations (RFC 6902) of a request's body.
    ///
    /// Every value is a string, as in Microsoft's SDKs.
    ///
    /// - Throws: ``HubValidationError`` if the service would reject a patch.
    static func json(
        _ patches: [Installation.Patch]
    ) throws(HubValidationError) -> [JSONValue] {
        var operations: [JSONValue] = []
        for (index, patch) in patches.enumerated() {
            do {
                operations += try patch.operations()
            } catch {
                throw error.at("\(index)")
            }
        }
        return operations
    }

    private func operations() throws(HubValidationError) -> [JSONValue] {
        switch change {
        case .tags(let change): return try change.operations(at: [])
        case .setTemplate(let name, let template): return [try .set(template, name, at: [])]
        case .removeTemplate(let name): return [try .remove(name, at: [])]
        case .changeTemplate(let name, let change): return try change.operations(name, at: [])
        case .changeSecondaryTile(let id, let change): return try change.operations(tile: id)
        case .setUserID(let userID):
            try userID.check()
            return [.operation("add", ["userId"], userID.rawValue)]
        case .removeUserID:
            return [.operation("remove", ["userId"])]
        case .setPushChannel(let channel):
            try channel.check()
            return [.operation("replace", ["pushChannel"], channel.text)]
        }
    }
}

extension Installation.TagChange {
    /// - Parameter path: The path of the installation, template or tile that has the tags.
    fileprivate func operations(at path: [String]) throws(HubValidationError) -> [JSONValue] {
        let path = path + ["tags"]
        switch kind {
        case .add(let tags):
            try Installation.checkTags(tags)
            return tags.map { .operation("add", path, $0.rawValue) }
        case .remove(let tags):
            guard tags.allSatisfy({ !$0.rawValue.isEmpty }) else {
                throw HubValidationError(.invalidTag, "a tag must not be empty")
            }
            return tags.map { .operation("remove", path + [$0.rawValue]) }
        case .set(let tags):
            try Installation.checkTags(tags)
            guard let first = tags.first else { return [.operation("remove", path)] }
            return [.operation("replace", path, first.rawValue)]
                + tags.dropFirst().map { .operation("add", path, $0.rawValue) }
        }
    }
}

extension Installation.Template.Change {
    /// - Parameter path: The path of the installation or tile that has the template.
    fileprivate func operations(
        _ name: Installation.Template.Name, at path: [String]
    ) throws(HubValidationError) -> [JSONValue] {
        try name.check()
        let path = path + ["templates", name.rawValue]
        do {
            switch kind {
            case .setBody(let body): return [.operation("add", path + ["body"], body)]
            case .setHeaders(let headers):
                try Installation.Template.checkHeaders(headers)
                let json = JSONValue.texts(headers)
                return [.operation(json == nil ? "remove" : "add", path + ["headers"], json?.text)]
            case .setHeader(let header, let value):
                try Installation.Template.checkHeaders([header: value])
                return [.operation("add", path + ["headers", header], value)]
            case .removeHeader(let header):
                try Installation.Template.checkHeaders([header: ""])
                return [.operation("remove", path + ["headers", header])]
            case .setExpiry(let expiry): return [.operation("add", path + ["expiry"], expiry.rawValue)]
            case .removeExpiry: return [.operation("remove", path + ["expiry"])]
            case .tags(let change): return try change.operations(at: path)
            }
        } catch {
            throw error.at("templates/\(name.rawValue.escapedForDisplay)")
        }
    }
}

extension Installation.SecondaryTile.Change {
    fileprivate func operations(tile id: String) throws(HubValidationError) -> [JSONValue] {
        let path = ["secondaryTiles", id]
        do throws(HubValidationError) {
            guard !id.isEmpty else { throw HubValidationError(.invalidSecondaryTile, "a tile's ID must not be empty") }
            switch kind {
            case .setPushChannel(let channel):
                try channel.check()
                return [.operation("add", path + ["pushChannel"], channel.text)]
            case .tags(let change): return try change.operations(at: path)
            case .setTemplate(let name, let template): return [try .set(template, name, at: path)]
            case .removeTemplate(let name): return [try .remove(name, at: path)]
            case .changeTemplate(let name, let change): return try change.operations(name, at: path)
            }
        } catch {
            throw error.at("secondaryTiles/\(id.escapedForDisplay)")
        }
    }
}

extension JSONValue {
    fileprivate static func set(
        _ template: Installation.Template, _ name: Installation.Template.Name, at path: [String]
    ) throws(HubValidationError) -> Self {
        .operation("add", path + ["templates", name.rawValue], try template.checked(name).json.text)
    }

    fileprivate static func remove(
        _ name: Installation.Template.Name, at path: [String]
    ) throws(HubValidationError) -> Self {
        guard !name.rawValue.isEmpty else {
            throw HubValidationError(.invalidTemplate, "a template's name must not be empty")
        }
        return .operation("remove", path + ["templates", name.rawValue])
    }

    /// Returns an operation with the names of its path escaped (RFC 6901 §3).
    fileprivate static func operation(_ name: String, _ path: [String], _ value: String? = nil) -> Self {
        var operation: JSONObject = ["op": .string(name)]
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

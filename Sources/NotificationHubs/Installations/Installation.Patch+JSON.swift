extension Installation.Patch {
    /// Parses a JSON Patch document (RFC 6902) of the kind that the service's documentation and other SDKs use.
    ///
    /// Supported paths are `/tags`, `/tags/{tag}`, `/templates/{name}` and its parts, `/secondaryTiles/{id}/…`, `/userId` and
    /// `/pushChannel`. An array of tags becomes one operation for each tag. Tags separated by commas are rejected, because the
    /// service would read them as one tag. All other values are validated when the patches are sent.
    ///
    /// - Throws: ``HubValidationError`` if the document contains an invalid or unsupported operation.
    package static func patches(json bytes: some Sequence<UInt8>) throws(HubValidationError) -> [Installation.Patch] {
        let value: JSONValue
        do {
            value = try JSONValue(parsing: bytes)
        } catch {
            throw HubValidationError(.invalidJSON, "invalid JSON: \(error)")
        }
        guard case .array(let operations) = value else { throw HubValidationError(.invalidJSON, "expected an array") }
        var patches: [Installation.Patch] = []
        for (index, operation) in operations.enumerated() {
            do {
                patches.append(try PatchOperation(operation).patch())
            } catch {
                throw error.at("\(index)")
            }
        }
        return patches
    }
}

/// A parser of one operation.
private struct PatchOperation {
    let name: String
    private let path: JSONMemberReader.Member
    /// The names of the path, or those that remain after ``dropping(_:)``.
    private var names: ArraySlice<String>
    private let value: JSONMemberReader.Member?

    init(_ json: JSONValue) throws(HubValidationError) {
        var reader = try JSONMemberReader(json)
        name = try reader.required("op").text()
        path = try reader.required("path")
        names = try path.pointer()[...]
        value = reader.optional("value")
        guard ["add", "replace", "remove"].contains(name) else {
            throw HubValidationError(.invalidJSON, "expected add, replace or remove", path: "op")
        }
    }

    func patch() throws(HubValidationError) -> Installation.Patch {
        switch (names.first, names.count, isAssignment) {
        case ("tags", _, _): return Installation.Patch(change: .tags(try tagChange()))
        case ("templates", 2, true): return .setTemplate(try templateName(), try required().template())
        case ("templates", 2, false): return .removeTemplate(try templateName())
        case ("templates", 3..., _): return .changeTemplate(try templateName(), try dropping(2).templateChange())
        case ("secondaryTiles", 3..., _): return .changeSecondaryTile(try second(), try dropping(2).tileChange())
        case ("userId", 1, true): return .setUserID(Installation.UserID(unchecked: try required().text()))
        case ("userId", 1, false): return .removeUserID
        case ("pushChannel", 1, true): return .setPushChannel(try required().channel())
        default: throw unsupported
        }
    }

    private func tagChange() throws(HubValidationError) -> Installation.TagChange {
        switch (name, names.count, names.last) {
        case ("add", 2, "-"): return .add([try required().tag()])
        case ("add", 1, _):
            let tags = try required().oneOrMoreTags()
            guard !tags.isEmpty else {
                throw HubValidationError(.missingTags, "expected at least one tag", path: "value")
            }
            return .add(tags)
        case ("replace", 1, _): return .set(try required().oneOrMoreTags())
        case ("remove", 1, _): return .set([])
        case ("remove", 2, let tag?): return .remove([NotificationHub.Tag(unchecked: tag)])
        default: throw unsupported
        }
    }

    private func templateChange() throws(HubValidationError) -> Installation.Template.Change {
        switch (names.first, names.count, isAssignment) {
        case ("body", 1, true): return .setBody(try required().text())
        case ("headers", 1, true): return .setHeaders(try required().object().texts())
        case ("headers", 1, false): return .setHeaders([:])
        case ("headers", 2, true): return .setHeader(try second(), to: try required().text())
        case ("headers", 2, false): return .removeHeader(try second())
        case ("expiry", 1, true): return .setExpiry(.expression(try required().text()))
        case ("expiry", 1, false): return .removeExpiry
        case ("tags", _, _): return .tags(try tagChange())
        default: throw unsupported
        }
    }

    private func tileChange() throws(HubValidationError) -> Installation.SecondaryTile.Change {
        switch (names.first, names.count, isAssignment) {
        case ("pushChannel", 1, true): return .setPushChannel(.windows(channelURI: try required().text()))
        case ("tags", _, _): return .tags(try tagChange())
        case ("templates", 2, true): return .setTemplate(try templateName(), try required().template())
        case ("templates", 2, false): return .removeTemplate(try templateName())
        case ("templates", 3..., _): return .changeTemplate(try templateName(), try dropping(2).templateChange())
        default: throw unsupported
        }
    }

    private var isAssignment: Bool { name != "remove" }

    private var unsupported: HubValidationError {
        path.error("\(name) does not support this path")
    }

    private func required() throws(HubValidationError) -> JSONMemberReader.Member {
        guard let value else { throw HubValidationError(.invalidJSON, "missing", path: "value") }
        return value
    }

    private func second() throws(HubValidationError) -> String {
        guard let second = names.dropFirst().first else { throw unsupported }
        return second
    }

    private func templateName() throws(HubValidationError) -> Installation.Template.Name {
        Installation.Template.Name(unchecked: try second())
    }

    /// Returns the operation with its path relative to the first `count` names.
    private func dropping(_ count: Int) -> PatchOperation {
        var inner = self
        inner.names = names.dropFirst(count)
        return inner
    }
}

extension JSONMemberReader.Member {
    /// Returns the names of a JSON pointer (RFC 6901).
    fileprivate func pointer() throws(HubValidationError) -> [String] {
        let parts = try text().utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        guard parts.count > 1, parts[0].isEmpty else {
            throw error("must begin with /")
        }
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
                default: throw error("~ must be followed by 0 or 1")
                }
            }
            names.append(String(decoding: name, as: UTF8.self))
        }
        return names
    }

    fileprivate func oneOrMoreTags() throws(HubValidationError) -> [NotificationHub.Tag] {
        guard case .array = value else { return [try tag()] }
        return try array { element throws(HubValidationError) in try element.tag() }
    }

    fileprivate func tag() throws(HubValidationError) -> NotificationHub.Tag {
        let text = try text()
        if text.utf8.contains(UInt8(ascii: ",")) {
            throw error("a tag cannot contain a comma: use an array", .invalidTag)
        }
        return NotificationHub.Tag(unchecked: text)
    }

    /// Returns a template from an object, or from a string that contains one, as other SDKs send it.
    fileprivate func template() throws(HubValidationError) -> Installation.Template {
        try object().read(Installation.Template.init)
    }

    /// Returns an object, parsed from a string if necessary.
    fileprivate func object() throws(HubValidationError) -> Self {
        guard case .string(let text) = value else { return self }
        do {
            return Self(try JSONValue(parsing: text.utf8), place)
        } catch {
            throw self.error("invalid JSON: \(error)")
        }
    }

    /// Returns a push channel: of a browser for an object, of an unknown platform for a string.
    ///
    /// The operation does not contain the platform.
    fileprivate func channel() throws(HubValidationError) -> PushChannel {
        guard case .string(let handle) = value else {
            return try read { json throws(HubValidationError) in try PushChannel(platform: .browser, json) }
        }
        return PushChannel(platform: PushPlatform(rawValue: "unknown"), handle: handle)
    }
}

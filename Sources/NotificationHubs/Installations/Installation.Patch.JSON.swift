extension Installation.Patch {
    /// Reads an array of operations (RFC 6902) as the service's documentation and other SDKs have them.
    ///
    /// Each becomes a patch of a kind that this type has: operations on `/tags`, `/tags/{tag}`, `/templates/{name}` and its
    /// parts, `/secondaryTiles/{id}/…`, `/userId` and `/pushChannel`. Several tags in one text are refused, which the service
    /// would take for one tag; an array of tags becomes an operation for each. What the service would not take is found when
    /// the patches are sent.
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
        for (index, operation) in operations.enumerated() {
            patches.append(try PatchOperation(operation, at: "\(index)").patch())
        }
        return patches
    }
}

/// One operation, its path read name by name.
private struct PatchOperation {
    let name: String
    private let path: MemberReader.Member
    /// The path's names that have not been read.
    private var names: ArraySlice<String>
    private let value: MemberReader.Member?
    private let place: String

    init(_ json: NotificationHub.JSONValue, at place: String) throws(Installation.Unreadable) {
        var reader = try MemberReader(json, at: place)
        name = try reader.required("op").text()
        path = try reader.required("path")
        names = try path.pointer()[...]
        value = reader.optional("value")
        self.place = place
        guard ["add", "replace", "remove"].contains(name) else {
            throw Installation.Unreadable("\(place)/op", "is neither add, replace nor remove")
        }
    }

    func patch() throws(Installation.Unreadable) -> Installation.Patch {
        switch (names.first, names.count, sets) {
        case ("tags", _, _): return Installation.Patch(change: .tags(try tagChange()))
        case ("templates", 2, true): return .setTemplate(try templateName(), try required().template())
        case ("templates", 2, false): return .removeTemplate(try templateName())
        case ("templates", 3..., _): return .changeTemplate(try templateName(), try below(2).templateChange())
        case ("secondaryTiles", 3..., _): return .changeSecondaryTile(try second(), try below(2).tileChange())
        case ("userId", 1, true): return .setUserID(Installation.UserID(unchecked: try required().text()))
        case ("userId", 1, false): return .removeUserID
        case ("pushChannel", 1, true): return .setPushChannel(try required().channel())
        default: throw unknown
        }
    }

    private func tagChange() throws(Installation.Unreadable) -> Installation.TagChange {
        switch (name, names.count, names.last) {
        case ("add", 2, "-"): return .add([try required().tag()])
        case ("add", 1, _):
            let tags = try required().oneOrMoreTags()
            guard !tags.isEmpty else { throw Installation.Unreadable("\(place)/value", "has no tag to add") }
            return .add(tags)
        case ("replace", 1, _): return .set(try required().oneOrMoreTags())
        case ("remove", 1, _): return .set([])
        case ("remove", 2, let tag?): return .remove(NotificationHub.Tag(unchecked: tag))
        default: throw unknown
        }
    }

    private func templateChange() throws(Installation.Unreadable) -> Installation.Template.Change {
        switch (names.first, names.count, sets) {
        case ("body", 1, true): return .setBody(try required().text())
        case ("headers", 1, true): return .setHeaders(try required().object().texts())
        case ("headers", 1, false): return .setHeaders([:])
        case ("headers", 2, true): return .setHeader(try second(), to: try required().text())
        case ("headers", 2, false): return .removeHeader(try second())
        case ("expiry", 1, true): return .setExpiry(.init(try required().text()))
        case ("expiry", 1, false): return .removeExpiry
        case ("tags", _, _): return .tags(try tagChange())
        default: throw unknown
        }
    }

    private func tileChange() throws(Installation.Unreadable) -> Installation.SecondaryTile.Change {
        switch (names.first, names.count, sets) {
        case ("pushChannel", 1, true): return .setPushChannel(.windows(channelURI: try required().text()))
        case ("tags", _, _): return .tags(try tagChange())
        case ("templates", 2, true): return .setTemplate(try templateName(), try required().template())
        case ("templates", 2, false): return .removeTemplate(try templateName())
        case ("templates", 3..., _): return .changeTemplate(try templateName(), try below(2).templateChange())
        default: throw unknown
        }
    }

    private var sets: Bool { name != "remove" }

    private var unknown: Installation.Unreadable {
        Installation.Unreadable(path.path, "is nothing that \(name) is known to change")
    }

    private func required() throws(Installation.Unreadable) -> MemberReader.Member {
        guard let value else { throw Installation.Unreadable("\(place)/value", "is required") }
        return value
    }

    private func second() throws(Installation.Unreadable) -> String {
        guard let second = names.dropFirst().first else { throw unknown }
        return second
    }

    private func templateName() throws(Installation.Unreadable) -> Installation.Template.Name {
        Installation.Template.Name(unchecked: try second())
    }

    /// The operation on what the first names lead to.
    private func below(_ count: Int) -> PatchOperation {
        var inner = self
        inner.names = names.dropFirst(count)
        return inner
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
        try Installation.Template(object().value, at: path)
    }

    /// An object, or the text of one.
    fileprivate func object() throws(Installation.Unreadable) -> Self {
        guard case .string(let text) = value else { return self }
        do {
            return Self(value: try NotificationHub.JSONValue(parsing: text.utf8), path: path)
        } catch {
            throw Installation.Unreadable(path, "is no JSON: \(error)")
        }
    }

    /// A channel, whose platform an operation does not say: an object is a browser's, and a text is sent as it is.
    fileprivate func channel() throws(Installation.Unreadable) -> PushChannel {
        guard case .string(let handle) = value else { return try PushChannel(platform: .browser, value) }
        return PushChannel(platform: PushPlatform(rawValue: "unknown"), handle: handle)
    }
}

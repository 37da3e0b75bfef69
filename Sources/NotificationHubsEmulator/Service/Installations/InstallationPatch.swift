import NotificationHubs

/// The operations of a PATCH (RFC 6902), on the paths that the service documents.
///
/// Values are texts, as every SDK of Microsoft's writes them, a template's or its headers' being the text of JSON; tags may
/// be an array. What nobody has seen the service take is refused: other values, and paths of push variables and of the
/// expiration time.
struct InstallationPatch {
    /// How many operations are taken.
    private static let maximumCount = 1000
    private var operations: [Operation] = []
    /// A tag with a comma: several, as their author meant, and one to the service.
    private(set) var joinedTag: String?

    private struct Operation {
        let name: String
        let path: [String]
        let value: JSONValue?
    }

    init(json bytes: [UInt8]) throws(ServiceRefusal) {
        guard case .array(let elements)? = try? JSONValue(parsing: bytes) else {
            throw .badRequest("a patch is a JSON array of operations")
        }
        guard elements.count <= Self.maximumCount else {
            throw .badRequest("a patch has \(Self.maximumCount) operations at most")
        }
        for element in elements { try add(element) }
    }

    private mutating func add(_ json: JSONValue) throws(ServiceRefusal) {
        guard case .object(let members) = json, case .string(let name)? = members["op"],
            case .string(let path)? = members["path"], let names = Self.names(path)
        else { throw .badRequest("an operation has op and path, a path that begins with /") }
        guard ["add", "replace", "remove"].contains(name) else {
            throw .badRequest("the operation \(name) is neither add, replace nor remove")
        }
        let given = name == "remove" ? nil : members["value"]
        guard let target = Target(names) else { throw .badRequest("the path \(path) is none that can be patched") }
        guard let given, given != .null else {
            guard name == "remove" else { throw .badRequest("\(name) \(path) has no value") }
            operations.append(Operation(name: name, path: names, value: nil))
            return
        }
        guard let value = target.stored(given) else { throw .badRequest("the value for \(path) is not of its kind") }
        if target == .tags, case .array(let tags) = value {
            for case .string(let tag) in tags where tag.utf8.contains(UInt8(ascii: ",")) { joinedTag = tag }
        }
        // The end of an array is the array's, as all of it that can be added to.
        let isEnd = target == .tags && names.last == "-"
        operations.append(Operation(name: name, path: isEnd ? names.dropLast() : names, value: value))
    }

    /// The installation as it is behind the last operation.
    ///
    /// - Parameter misread: is told each template that has `$(` where nothing is filled.
    func applied(
        to installation: Installation, misread: (_ template: String) -> Void
    ) throws(ServiceRefusal) -> Installation {
        guard var json = try? JSONValue(parsing: installation.json) else { return installation }
        for operation in operations {
            guard operation.value == nil || json.hasParent(of: operation.path) else {
                throw .badRequest("what /\(operation.path.joined(separator: "/")) is a part of is not there")
            }
            var tagCount = 0
            json = json.replacing(operation.path[...]) { old in
                guard case .array(var tags)? = operation.value else { return operation.value }
                if operation.name == "add", case .array(let there)? = old {
                    tags = there + tags.filter { !there.contains($0) }
                }
                tagCount = tags.count
                return .array(tags)
            }
            // With each operation: many tags would be compared with many.
            guard tagCount <= Installation.maximumTagCount else {
                throw .badRequest("\(tagCount) tags are too many: \(Installation.maximumTagCount) are allowed")
            }
        }
        let patched: Installation
        do {
            patched = try Installation(json: json.bytes)
        } catch {
            throw .badRequest("the patched installation cannot be read: \(error)")
        }
        return try patched.checkedByService(trustsTags: true, misread: misread)
    }

    /// The names of a JSON pointer (RFC 6901).
    private static func names(_ path: String) -> [String]? {
        let parts = path.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        guard parts.count > 1, parts[0].isEmpty, !parts.dropFirst().contains("") else { return nil }
        return parts.dropFirst().map { name in
            name.split(separator: "~1", omittingEmptySubsequences: false).joined(separator: "/")
                .split(separator: "~0", omittingEmptySubsequences: false).joined(separator: "~")
        }
    }
}

extension InstallationPatch {
    /// What stands at a path.
    private enum Target {
        case text
        case tags
        case oneTag
        case object

        init?(_ path: [String]) {
            switch (path.first, path.count) {
            case ("userId", 1): self = .text
            case ("pushChannel", 1): self = .text
            case ("secondaryTiles", 2): self = .object
            case ("secondaryTiles", 3) where path[2] == "pushChannel": self = .text
            case ("secondaryTiles", 3...): self.init(tagsOrTemplates: Array(path.dropFirst(2)))
            default: self.init(tagsOrTemplates: path)
            }
        }

        private init?(tagsOrTemplates path: [String]) {
            switch (path.first, path.count) {
            case ("tags", 1): self = .tags
            case ("tags", 2): self = path[1] == "-" ? .tags : .oneTag
            case ("templates", 2): self = .object
            case ("templates", 3):
                switch path[2] {
                case "body": self = .text
                case "expiry": self = .text
                case "headers": self = .object
                case "tags": self = .tags
                default: return nil
                }
            case ("templates", 4) where path[2] == "headers": self = .text
            case ("templates", 4) where path[2] == "tags": self = path[3] == "-" ? .tags : .oneTag
            default: return nil
            }
        }

        /// The value as it is kept; `nil` if it is none of the kind.
        func stored(_ value: JSONValue) -> JSONValue? {
            switch (self, value) {
            case (.text, .string): return value
            case (.tags, .string): return .array([value])
            case (.tags, .array(let tags)):
                let areTexts = tags.allSatisfy { if case .string = $0 { true } else { false } }
                return areTexts ? value : nil
            case (.object, .string(let text)):
                guard case .object? = try? JSONValue(parsing: text.utf8) else { return nil }
                return try? JSONValue(parsing: text.utf8)
            default: return nil
            }
        }
    }
}

extension JSONValue {
    /// Whether the tile and the template are there that a path leads into: a part of them makes no whole one.
    fileprivate func hasParent(of path: [String]) -> Bool {
        guard path.count > 2, ["secondaryTiles", "templates"].contains(path[0]) else { return true }
        guard case .object(let object) = self, case .object(let named)? = object[path[0]],
            let inner = named[path[1]]
        else { return false }
        return path[0] == "templates" || inner.hasParent(of: Array(path.dropFirst(2)))
    }

    /// The value with what is at a path replaced, or removed by `nil`; of an array, the text that the path's last name is.
    /// What becomes empty is removed, and what the path leads through is made.
    fileprivate func replacing(_ path: ArraySlice<String>, _ change: (Self?) -> Self?) -> Self {
        guard let name = path.first else { return self }
        if case .array(let values) = self { return .array(values.filter { $0 != .string(name) }) }
        guard case .object(var object) = self else { return self }
        if path.count == 1 {
            object[name] = change(object[name])
        } else if let inner = object[name] {
            object[name] = inner.replacing(path.dropFirst(), change)
        } else if change(nil) != nil {
            object[name] = Self.object([:]).replacing(path.dropFirst(), change)
        }
        switch object[name] {
        case .array([])?: object[name] = nil
        case .object(let inner)? where inner.isEmpty && path.count > 1: object[name] = nil
        default: break
        }
        return .object(object)
    }
}

import HubText
import NotificationHubs

/// The operations of a PATCH (RFC 6902) on the paths that the service documents.
///
/// Values are strings, as in all Microsoft SDKs; tags can also be an array. The value for a template or its headers is a
/// string with JSON. Other values, and paths to push variables and the expiration time, are rejected: no source shows that
/// the service accepts them.
struct InstallationPatch {
    /// The maximum number of operations.
    private static let maximumCount = 1000
    /// The maximum length of a name in a path, in bytes, which is that of a name in JSON.
    private static let maximumNameLength = 1024
    private var operations: [Operation] = []
    /// A tag that contains a comma, which the service stores as one tag; its author probably meant several.
    private(set) var joinedTag: String?

    private struct Operation {
        let name: String
        let path: [String]
        let value: JSONValue?
    }

    /// Creates a patch from a request's body.
    init(json bytes: [UInt8]) throws(ServiceError) {
        guard case .array(let elements)? = try? JSONValue(parsing: bytes) else {
            throw .badRequest("a patch must be a JSON array of operations")
        }
        guard elements.count <= Self.maximumCount else {
            throw .badRequest("too many operations: \(elements.count) (allowed: at most \(Self.maximumCount))")
        }
        for element in elements { try add(element) }
    }

    private mutating func add(_ json: JSONValue) throws(ServiceError) {
        guard case .object(let members) = json, case .string(let name)? = members["op"],
            case .string(let path)? = members["path"], let names = Self.names(path)
        else { throw .badRequest("an operation must have op and a path that starts with /") }
        guard let name = ["add", "replace", "remove"].first(where: { $0.hasSameBytes(as: name) }) else {
            throw .badRequest("unknown op \"\(name)\" (allowed: add, replace, remove)")
        }
        let received = name == "remove" ? nil : members["value"]
        guard names.allSatisfy({ $0.utf8.count <= Self.maximumNameLength }), let target = Target(names) else {
            throw .badRequest("unsupported path \(path)")
        }
        guard let received, received != .null else {
            guard name == "remove" else { throw .badRequest("\(name) \(path): missing value") }
            operations.append(Operation(name: name, path: names, value: nil))
            return
        }
        guard let value = target.converted(received) else {
            throw .badRequest("\(name) \(path): \(target.requirement)")
        }
        if target == .tags, case .array(let tags) = value {
            for case .string(let tag) in tags where tag.utf8.contains(UInt8(ascii: ",")) { joinedTag = tag }
        }
        // Adding to the end of an array is the same as adding to the array.
        let isEnd = target == .tags && names.last == "-"
        operations.append(Operation(name: name, path: isEnd ? names.dropLast() : names, value: value))
    }

    /// Returns an installation after all operations, with the service's defaults.
    func applied(to installation: Installation) throws(ServiceError) -> Installation {
        guard var json = try? JSONValue(parsing: installation.json) else {
            return installation
        }
        for operation in operations {
            guard operation.value == nil || json.hasParent(of: operation.path) else {
                throw .badRequest("/\(operation.path.joined(separator: "/")): the template or tile does not exist")
            }
            var tagCount = 0
            json = json.replacing(operation.path[...]) { old in
                guard case .array(var tags)? = operation.value else { return operation.value }
                if operation.name == "add", case .array(let existing)? = old {
                    tags = existing + tags.filter { !existing.contains($0) }
                }
                tagCount = tags.count
                return .array(tags)
            }
            // Checked after each operation to bound the cost of comparing tags.
            guard tagCount <= Installation.maximumTagCount else {
                throw .badRequest("too many tags: \(tagCount) (allowed: at most \(Installation.maximumTagCount))")
            }
        }
        let patched: Installation
        do {
            patched = try Installation(json: json.bytes)
        } catch {
            throw .badRequest("invalid installation after the patch: \(error)")
        }
        return try patched.checkedByService(.number).completed()
    }

    /// Returns the names in a JSON pointer (RFC 6901); `nil` if it is invalid or empty.
    private static func names(_ path: String) -> [String]? {
        let parts = path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
            .map { String(Substring($0)) }
        guard parts.count > 1, parts[0].isEmpty, !parts.dropFirst().contains("") else { return nil }
        return parts.dropFirst().map { name in
            name.split(separator: "~1", omittingEmptySubsequences: false).joined(separator: "/")
                .split(separator: "~0", omittingEmptySubsequences: false).joined(separator: "~")
        }
    }
}

extension InstallationPatch {
    /// The kind of value at a path.
    private enum Target {
        case string
        case tags
        case tag
        case object

        init?(_ path: [String]) {
            switch (path.first, path.count) {
            case ("userId", 1): self = .string
            case ("pushChannel", 1): self = .string
            case ("secondaryTiles", 2): self = .object
            case ("secondaryTiles", 3) where path[2] == "pushChannel": self = .string
            case ("secondaryTiles", 3...): self.init(tagsOrTemplates: Array(path.dropFirst(2)))
            default: self.init(tagsOrTemplates: path)
            }
        }

        private init?(tagsOrTemplates path: [String]) {
            switch (path.first, path.count) {
            case ("tags", 1): self = .tags
            case ("tags", 2): self = path[1] == "-" ? .tags : .tag
            case ("templates", 2): self = .object
            case ("templates", 3):
                switch path[2] {
                case "body": self = .string
                case "expiry": self = .string
                case "headers": self = .object
                case "tags": self = .tags
                default: return nil
                }
            case ("templates", 4) where path[2] == "headers": self = .string
            case ("templates", 4) where path[2] == "tags": self = path[3] == "-" ? .tags : .tag
            default: return nil
            }
        }

        /// The requirement that an invalid value does not meet, for error messages.
        var requirement: String {
            switch self {
            case .string: "the value must be a string"
            case .tags: "the value must be a string or an array of strings"
            case .tag: "a single tag can only be removed"
            case .object: "the value must be a string that contains a JSON object"
            }
        }

        /// Returns a received value in the form that the installation stores; `nil` if it is not of this kind.
        func converted(_ value: JSONValue) -> JSONValue? {
            switch (self, value) {
            case (.string, .string): return value
            case (.tags, .string): return .array([value])
            case (.tags, .array(let tags)):
                let areStrings = tags.allSatisfy { if case .string = $0 { true } else { false } }
                return areStrings ? value : nil
            case (.object, .string(let text)):
                guard let object = try? JSONValue(parsing: text.utf8), case .object = object else { return nil }
                return object
            default: return nil
            }
        }
    }
}

extension JSONValue {
    /// Returns whether the tile and the template that contain a path exist. An operation cannot create a part of one.
    fileprivate func hasParent(of path: [String]) -> Bool {
        guard path.count > 2, ["secondaryTiles", "templates"].contains(path[0]) else { return true }
        guard case .object(let object) = self, case .object(let named)? = object[path[0]],
            let inner = named[path[1]]
        else { return false }
        return path[0] == "templates" || inner.hasParent(of: Array(path.dropFirst(2)))
    }

    /// Returns a copy with the value at a path replaced; a new value of `nil` removes it.
    ///
    /// In an array, removes the string that the path's last name denotes. Missing parents are created, and empty ones removed.
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

import HubText

#if canImport(FoundationEssentials)
import struct FoundationEssentials.Date
#else
import struct Foundation.Date
#endif

extension Installation {
    /// Why JSON is no installation.
    public struct Unreadable: Error, Hashable, Sendable, CustomStringConvertible {
        /// Where, and what is wrong, in one line of ASCII.
        public let description: String

        init(description: String) {
            self.description = description
        }

        /// - Parameter path: the names that lead to the member, slashes between them.
        init(_ path: String, _ problem: String) {
            description = path.isEmpty ? "the value \(problem)" : "'\(path)' \(problem)"
        }
    }
}

/// Takes the members that are known out of an object; `null` is as good as absent.
struct MemberReader {
    typealias Unreadable = Installation.Unreadable

    /// What has not been taken.
    private(set) var rest: NotificationHub.JSONObject
    private let path: String

    init(_ json: NotificationHub.JSONValue, at path: String) throws(Unreadable) {
        guard case .object(let object) = json else { throw Unreadable(path, "is no object") }
        rest = object
        self.path = path
    }

    mutating func optional(_ name: String) -> Member? {
        guard let value = rest[name] else { return nil }
        rest[name] = nil
        return value == .null ? nil : Member(value: value, path: Member.path(path, name))
    }

    mutating func required(_ name: String) throws(Unreadable) -> Member {
        guard let member = optional(name) else { throw Unreadable(Member.path(path, name), "is required") }
        return member
    }

    /// A member's value, read as what it is to be.
    struct Member {
        let value: NotificationHub.JSONValue
        let path: String

        static func path(_ path: String, _ name: String) -> String {
            let name = name.shownInside
            return path.isEmpty ? name : "\(path)/\(name)"
        }

        func text() throws(Unreadable) -> String {
            guard case .string(let text) = value else { throw Unreadable(path, "is no text") }
            return text
        }

        func bool() throws(Unreadable) -> Bool {
            guard case .bool(let flag) = value else { throw Unreadable(path, "is neither true nor false") }
            return flag
        }

        func date() throws(Unreadable) -> Date {
            guard let time = Timestamp(try text()) else { throw Unreadable(path, "is no ISO 8601 date and time") }
            return time.date
        }

        func tags() throws(Unreadable) -> [NotificationHub.Tag] {
            guard case .array(let values) = value else { throw Unreadable(path, "is no array") }
            var tags: [NotificationHub.Tag] = []
            for (index, value) in values.enumerated() where value != .null {
                let text = try Member(value: value, path: "\(path)/\(index)").text()
                tags.append(NotificationHub.Tag(unchecked: text))
            }
            return tags
        }

        func texts() throws(Unreadable) -> [String: String] {
            try dictionary { value, path throws(Unreadable) in try Member(value: value, path: path).text() }
        }

        func templates() throws(Unreadable) -> [Installation.Template.Name: Installation.Template] {
            var templates: [Installation.Template.Name: Installation.Template] = [:]
            for member in try MemberReader(value, at: path).rest.members where member.value != .null {
                templates[Installation.Template.Name(unchecked: member.name)] = try Installation.Template(
                    member.value, at: Self.path(path, member.name))
            }
            return templates
        }

        /// The members of an object by their names. Of two names that look the same, a dictionary would lose one.
        func dictionary<Value>(
            _ read: (NotificationHub.JSONValue, _ path: String) throws(Unreadable) -> Value
        ) throws(Unreadable) -> [String: Value] {
            var values: [String: Value] = [:]
            for member in try MemberReader(value, at: path).rest.members where member.value != .null {
                let path = Self.path(path, member.name)
                guard values.updateValue(try read(member.value, path), forKey: member.name) == nil else {
                    throw Unreadable(path, "has the name of another member, to look at")
                }
            }
            return values
        }
    }
}

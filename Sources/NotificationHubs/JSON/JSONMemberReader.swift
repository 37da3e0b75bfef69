import HubText

#if canImport(FoundationEssentials)
import struct FoundationEssentials.Date
#else
import struct Foundation.Date
#endif

/// A reader that removes known members from a JSON object. A member that is `null` counts as missing.
struct JSONMemberReader {
    /// The members that have not been read.
    private(set) var rest: JSONObject
    let path: String

    init(_ json: JSONValue, at path: String) throws(HubValidationError) {
        guard case .object(let object) = json else {
            throw HubValidationError(.invalidJSON, "expected an object", path: path)
        }
        rest = object
        self.path = path
    }

    /// Removes and returns a member, or returns `nil` if it is missing.
    mutating func optional(_ name: String) -> Member? {
        guard let value = rest.removeValue(name) else { return nil }
        if case .null = value { return nil }
        return Member(value: value, parent: path, name: name)
    }

    /// Removes and returns a member, or throws if it is missing.
    mutating func required(_ name: String) throws(HubValidationError) -> Member {
        guard let member = optional(name) else {
            throw HubValidationError(.invalidJSON, "missing", path: Member.path(path, name))
        }
        return member
    }

    /// A member, with conversions to the expected type of its value.
    struct Member {
        let value: JSONValue
        private let parent: String
        private let name: String

        /// - Parameters:
        ///   - parent: The path of the object, or that of the value itself without a name.
        init(value: JSONValue, parent: String = "", name: String = "") {
            (self.value, self.parent, self.name) = (value, parent, name)
        }

        /// The path of the value, for errors.
        var path: String { name.isEmpty ? parent : Self.path(parent, name) }

        static func path(_ path: String, _ name: String) -> String {
            let name = name.escapedForDisplay
            return path.isEmpty ? name : "\(path)/\(name)"
        }

        func text() throws(HubValidationError) -> String {
            guard case .string(let text) = value else {
                throw HubValidationError(.invalidJSON, "expected a string", path: path)
            }
            return text
        }

        func bool() throws(HubValidationError) -> Bool {
            guard case .bool(let flag) = value else {
                throw HubValidationError(.invalidJSON, "expected true or false", path: path)
            }
            return flag
        }

        func date() throws(HubValidationError) -> Date {
            guard let time = Timestamp(try text()) else {
                throw HubValidationError(.invalidJSON, "expected an ISO 8601 date and time", path: path)
            }
            return time.date
        }

        func texts() throws(HubValidationError) -> [String: String] {
            try dictionary { member throws(HubValidationError) in try member.text() }
        }

        /// Returns the members of an object by name. Throws if two names are equal as Swift strings, because a dictionary would
        /// lose one of them.
        func dictionary<Value>(
            _ read: (Member) throws(HubValidationError) -> Value
        ) throws(HubValidationError) -> [String: Value] {
            var values: [String: Value] = [:]
            let path = path
            for member in try JSONMemberReader(value, at: path).rest.members where member.value != .null {
                let value = try read(Member(value: member.value, parent: path, name: member.name))
                guard values.updateValue(value, forKey: member.name) == nil else {
                    throw HubValidationError(
                        .invalidJSON, "duplicates a canonically equivalent name", path: Self.path(path, member.name))
                }
            }
            return values
        }
    }
}

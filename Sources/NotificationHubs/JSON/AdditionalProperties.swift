/// The JSON members of a service's value that this package has no property for. Writing the value preserves them.
public struct AdditionalProperties: Hashable, Sendable {
    package var members: JSONObject

    package init(_ members: JSONObject) {
        self.members = members
    }

    /// Creates an empty set.
    public init() {
        members = [:]
    }

    /// The members' names, in the order of their bytes.
    public var names: [String] { members.members.map(\.name) }

    /// Whether there is no member.
    public var isEmpty: Bool { members.isEmpty }

    /// The JSON text of a member's value in UTF-8, or `nil` if there is no such member.
    public func json(of name: String) -> [UInt8]? { members[name]?.bytes }
}

extension AdditionalProperties: Codable {
    /// Decodes a JSON object. Through a decoder, numbers can lose digits beyond the 38th.
    public init(from decoder: any Decoder) throws {
        guard case .object(let object) = try JSONValue(from: decoder) else {
            throw DecodingError.dataCorrupted(
                .init(codingPath: decoder.codingPath, debugDescription: "expected an object"))
        }
        members = object
    }

    /// Encodes the members as an object.
    public func encode(to encoder: any Encoder) throws {
        try JSONValue.object(members).encode(to: encoder)
    }
}

extension AdditionalProperties: CustomStringConvertible, CustomReflectable {
    /// The members' names; their values can be secrets.
    public var description: String { names.joined(separator: ", ") }

    /// The members' names.
    public var customMirror: Mirror { Mirror(self, children: ["names": names]) }
}

/// The JSON members that this package does not model. They are preserved when a value from the service is sent back.
///
/// ```swift
/// if let version = installation.additionalProperties["appVersion"]?.string { print(version) }
/// ```
public struct AdditionalProperties: Hashable, Sendable {
    package var members: JSONObject

    package init(_ members: JSONObject) {
        self.members = members
    }

    /// Creates an empty collection.
    public init() {
        members = [:]
    }

    /// The names of the members, sorted by their UTF-8 bytes.
    public var names: [String] { members.names }

    /// Whether there are no members.
    public var isEmpty: Bool { members.isEmpty }

    /// The value of a member, or `nil` if there is no such member.
    public subscript(name: String) -> JSONValue? { members[name] }

    /// Returns the JSON text of a member's value in UTF-8, or `nil` if there is no such member.
    public func json(of name: String) -> [UInt8]? { members[name]?.bytes }
}

extension AdditionalProperties: Codable {
    /// Decodes a JSON object. Numbers can lose digits beyond the 38th.
    public init(from decoder: any Decoder) throws {
        guard case .object(let object) = try JSONValue(from: decoder, expecting: .object) else {
            throw DecodingError.dataCorrupted(
                .init(codingPath: decoder.codingPath, debugDescription: "expected an object"))
        }
        members = object
    }

    /// Encodes the members as a JSON object.
    public func encode(to encoder: any Encoder) throws {
        try JSONValue.object(members).encode(to: encoder)
    }
}

extension AdditionalProperties: CustomStringConvertible, CustomReflectable {
    /// The names of the members. The values are omitted because they can be secret.
    public var description: String { names.joined(separator: ", ") }

    /// The names of the members.
    public var customMirror: Mirror { Mirror(self, children: ["names": names]) }
}

import HubText

/// A JSON object. Names are compared by their UTF-8 bytes.
///
/// Members are sorted by name, so equal objects have the same JSON text.
///
/// ```swift
/// let data: JSONObject = ["order": 7, "items": ["a", "b"]]
/// ```
public struct JSONObject: Hashable, Sendable {
    /// A member of an object.
    package struct Member: Hashable, Sendable {
        /// The member's name.
        package let name: String
        /// The member's value.
        package internal(set) var value: JSONValue

        /// Returns whether two members have the same name, byte by byte, and equal values.
        package static func == (left: Self, right: Self) -> Bool {
            left.name.hasSameBytes(as: right.name) && left.value == right.value
        }

        /// Hashes the name's bytes and the value.
        package func hash(into hasher: inout Hasher) {
            name.hashBytes(into: &hasher)
            hasher.combine(value)
        }
    }

    /// The members, sorted by the UTF-8 bytes of their names.
    package private(set) var members: [Member] = []

    /// Creates an empty object.
    public init() {}

    /// Creates an object of strings.
    package init(_ texts: [String: String]) {
        self.init(unique: texts.map { Member(name: $0.key, value: .string($0.value)) })
    }

    /// Creates an object from members with unique names.
    ///
    /// The members are sorted once, because inserting them one by one would take quadratic time. JSON that this package wrote is
    /// sorted already.
    init(unique members: [Member]) {
        self.members =
            Self.isSorted(members) ? members : members.sorted { $0.name.precedesByBytes($1.name) }
    }

    /// Returns whether each name precedes the next one, which also means that the names are unique.
    private static func isSorted(_ members: [Member]) -> Bool {
        members.indices.dropFirst().allSatisfy { members[$0 - 1].name.precedesByBytes(members[$0].name) }
    }

    /// The value of a member, or `nil` if there is no such member. Setting `nil` removes the member.
    public subscript(name: String) -> JSONValue? {
        get { index(of: name).map { members[$0].value } }
        set {
            // Objects are often built in the order of the names.
            guard let last = members.indices.last, !members[last].name.precedesByBytes(name) else {
                if let newValue { members.append(Member(name: name, value: newValue)) }
                return
            }
            let index = firstIndex(notBefore: name)
            switch (isMember(name, at: index), newValue) {
            case (true, let value?): members[index].value = value
            case (true, nil): members.remove(at: index)
            case (false, let value?): members.insert(Member(name: name, value: value), at: index)
            case (false, nil): break
            }
        }
    }

    /// Returns the index of a member, or `nil` if there is no such member.
    func index(of name: String) -> Int? {
        // In a small object, comparing lengths finds a member faster than comparing the order of names.
        if members.count <= 16 { return members.indices.first { isMember(name, at: $0) } }
        let index = firstIndex(notBefore: name)
        return isMember(name, at: index) ? index : nil
    }

    /// Reserves storage for a number of further members.
    mutating func reserveCapacity(adding count: Int) { members.reserveCapacity(members.count + count) }

    /// Returns the members at the indices that satisfy a condition.
    func filter(_ isIncluded: (Int) -> Bool) -> JSONObject {
        var object = JSONObject()
        for index in members.indices where isIncluded(index) { object.members.append(members[index]) }
        return object
    }

    /// Whether the object has no members.
    public var isEmpty: Bool { members.isEmpty }

    /// The names of the members, sorted by their UTF-8 bytes.
    public var names: [String] { members.map(\.name) }

    /// Creates an object from members. Throws if two members have the same name.
    init(_ members: [Member]) throws(DuplicateNameError) {
        self.init()
        self.members = members
        if Self.isSorted(members) { return }
        self.members.sort { $0.name.precedesByBytes($1.name) }
        for index in self.members.indices.dropFirst()
        where self.members[index - 1].name.hasSameBytes(as: self.members[index].name) {
            throw DuplicateNameError(name: self.members[index].name)
        }
    }

    struct DuplicateNameError: Error {
        let name: String
    }

    private func isMember(_ name: String, at index: Int) -> Bool {
        index < members.count && members[index].name.hasSameBytes(as: name)
    }

    private func firstIndex(notBefore name: String) -> Int {
        var range = members.startIndex..<members.endIndex
        while !range.isEmpty {
            let middle = range.lowerBound + range.count / 2
            range =
                members[middle].name.precedesByBytes(name)
                ? middle + 1..<range.upperBound : range.lowerBound..<middle
        }
        return range.lowerBound
    }
}

extension JSONObject: ExpressibleByDictionaryLiteral {
    /// Creates an object from a literal. The last value of a repeated name replaces the others.
    public init(dictionaryLiteral elements: (String, JSONValue)...) {
        for (name, value) in elements { self[name] = value }
    }
}

/// The members of a JSON object, by names that are compared by their bytes.
///
/// Members stand in the order of their names' bytes, so that equal objects are written alike.
package struct JSONObject: Hashable, Sendable {
    /// A member: its name and its value.
    package struct Member: Hashable, Sendable {
        /// The name.
        package let name: String
        /// The value.
        package internal(set) var value: JSONValue

        /// Compares the names by their bytes, and the values.
        package static func == (left: Self, right: Self) -> Bool {
            left.name.hasSameBytes(as: right.name) && left.value == right.value
        }

        /// Hashes what is compared.
        package func hash(into hasher: inout Hasher) {
            name.hashBytes(into: &hasher)
            hasher.combine(value)
        }
    }

    /// The members, in the order of their names' bytes.
    package private(set) var members: [Member] = []

    /// An object without a member.
    package init() {}

    /// An object of texts.
    package init(_ texts: [String: String]) {
        self.init(unique: texts.map { Member(name: $0.key, value: .string($0.value)) })
    }

    /// The members of a list whose names are known to differ.
    ///
    /// Sorted at once: one by one, many members out of order would take a time that grows with their number's square.
    init(unique members: [Member]) {
        self.members = members.sorted { Self.isBefore($0.name, $1.name) }
    }

    /// The value of a name; `nil` if there is none. To set `nil` removes the member.
    package subscript(name: String) -> JSONValue? {
        get {
            let index = firstIndex(notBefore: name)
            return isMember(name, at: index) ? members[index].value : nil
        }
        set {
            let index = firstIndex(notBefore: name)
            switch (isMember(name, at: index), newValue) {
            case (true, let value?): members[index].value = value
            case (true, nil): members.remove(at: index)
            case (false, let value?): members.insert(Member(name: name, value: value), at: index)
            case (false, nil): break
            }
        }
    }

    /// Whether there is no member.
    package var isEmpty: Bool { members.isEmpty }

    /// The members of a list, or the name that is there twice.
    init(_ members: [Member]) throws(RepeatedName) {
        self.init(unique: members)
        for (first, second) in zip(self.members, self.members.dropFirst())
        where first.name.hasSameBytes(as: second.name) {
            throw RepeatedName(name: first.name)
        }
    }

    struct RepeatedName: Error {
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
                Self.isBefore(members[middle].name, name)
                ? middle + 1..<range.upperBound : range.lowerBound..<middle
        }
        return range.lowerBound
    }

    private static func isBefore(_ left: String, _ right: String) -> Bool {
        left.utf8.lexicographicallyPrecedes(right.utf8)
    }
}
extension JSONObject: ExpressibleByDictionaryLiteral {
    /// An object of the given members; of a repeated name the last one counts.
    package init(dictionaryLiteral elements: (String, JSONValue)...) {
        for (name, value) in elements { self[name] = value }
    }
}

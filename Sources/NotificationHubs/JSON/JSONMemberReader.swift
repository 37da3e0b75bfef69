import HubText

#if canImport(FoundationEssentials)
import struct FoundationEssentials.Date
#else
import struct Foundation.Date
#endif

/// A reader that takes known members from a JSON object. A member that is `null` counts as missing.
///
/// The paths of errors are relative to the object.
struct JSONMemberReader {
    private let object: JSONObject
    private var isRead: [Bool]

    init(_ json: JSONValue) throws(HubValidationError) {
        object = try Self.object(json)
        isRead = Array(repeating: false, count: object.members.count)
    }

    private static func object(_ json: JSONValue) throws(HubValidationError) -> JSONObject {
        guard case .object(let object) = json else { throw HubValidationError(.invalidJSON, "expected an object") }
        return object
    }

    /// The members that have not been read.
    var rest: JSONObject { object.filter { !isRead[$0] } }

    /// Reads a member, or returns `nil` if it is missing.
    mutating func optional(_ name: String) -> Member? {
        guard let index = object.index(of: name) else { return nil }
        isRead[index] = true
        let value = object.members[index].value
        if case .null = value { return nil }
        return Member(value, .member(name))
    }

    /// Reads a member, or throws if it is missing.
    mutating func required(_ name: String) throws(HubValidationError) -> Member {
        guard let member = optional(name) else { throw HubValidationError(.invalidJSON, "missing", path: name) }
        return member
    }

    /// The value of a member, with conversions to the expected type.
    struct Member {
        /// The place of a value, for errors.
        enum Place {
            case document
            case member(String)
            case element(Int)
        }

        let value: JSONValue
        let place: Place

        init(_ value: JSONValue, _ place: Place) {
            (self.value, self.place) = (value, place)
        }

        private var path: String? {
            switch place {
            case .document: nil
            case .member(let name): name.escapedForDisplay
            case .element(let index): "\(index)"
            }
        }

        /// Converts the value with a function, whose errors have paths relative to the value.
        func read<Value>(
            _ convert: (JSONValue) throws(HubValidationError) -> Value
        ) throws(HubValidationError) -> Value {
            do {
                return try convert(value)
            } catch {
                throw path.map(error.at) ?? error
            }
        }

        /// Returns an error for the value.
        func error(
            _ reason: String, _ code: HubValidationError.Code = .invalidJSON
        ) -> HubValidationError {
            HubValidationError(code, reason, path: path)
        }

        func text() throws(HubValidationError) -> String {
            guard case .string(let text) = value else { throw error("expected a string") }
            return text
        }

        func bool() throws(HubValidationError) -> Bool {
            guard case .bool(let flag) = value else { throw error("expected true or false") }
            return flag
        }

        func date() throws(HubValidationError) -> Date {
            guard let time = Timestamp(try text()) else { throw error("expected an ISO 8601 date and time") }
            return time.date
        }

        func texts() throws(HubValidationError) -> [String: String] {
            try dictionary(by: \.self) { member throws(HubValidationError) in try member.text() }
        }

        /// Returns the elements of an array, without those for which the function returns `nil`.
        func array<Element>(
            _ convert: (Member) throws(HubValidationError) -> Element?
        ) throws(HubValidationError) -> [Element] {
            try read { json throws(HubValidationError) in
                guard case .array(let values) = json else {
                    throw HubValidationError(.invalidJSON, "expected an array")
                }
                var elements: [Element] = []
                elements.reserveCapacity(values.count)
                for index in values.indices {
                    if let element = try convert(Member(values[index], .element(index))) { elements.append(element) }
                }
                return elements
            }
        }

        /// Returns the members of an object by name. Throws if two names have the same key, because a dictionary would lose one
        /// of them: canonically equivalent names are equal as Swift strings.
        func dictionary<Key: Hashable, Value>(
            by key: (String) -> Key, _ convert: (Member) throws(HubValidationError) -> Value
        ) throws(HubValidationError) -> [Key: Value] {
            try read { json throws(HubValidationError) in
                var values: [Key: Value] = [:]
                for member in try JSONMemberReader.object(json).members {
                    if case .null = member.value { continue }
                    let value = Member(member.value, .member(member.name))
                    // Hashing a name with many combining marks takes quadratic time.
                    guard member.name.utf8.count <= 1_024 else {
                        throw value.error("the name has more than 1,024 bytes")
                    }
                    guard values.updateValue(try convert(value), forKey: key(member.name)) == nil else {
                        throw value.error("duplicates a canonically equivalent name")
                    }
                }
                return values
            }
        }
    }
}

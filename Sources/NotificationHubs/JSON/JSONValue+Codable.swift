#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension JSONValue: Codable {
    /// Decodes a value.
    ///
    /// Numbers can lose digits beyond the 38th, and only one of several canonically equivalent names is decoded. A decoder that
    /// converts every value to a string on request, such as one for forms, yields only strings.
    /// ``Installation/init(json:)`` is lossless.
    public init(from decoder: any Decoder) throws {
        try self.init(from: decoder, expecting: .text)
    }

    /// Decodes a value that is probably of a kind.
    init(from decoder: any Decoder, expecting kind: Expectation) throws {
        if kind != .text, let container = try? decoder.container(keyedBy: MemberName.self) {
            self = .object(try container.object(expecting: kind))
            return
        }
        let single = try? decoder.singleValueContainer()
        if let single, single.decodeNil() {
            self = .null
        } else if let text = try? single?.decode(String.self) {
            self = .string(text)
        } else {
            self = try Other(from: decoder).value
        }
    }

    /// The kind that a value probably has.
    ///
    /// It decides only what is tried first, because a failed attempt throws an error, which is slow.
    enum Expectation {
        case text
        /// An array of strings.
        case texts
        case object
        /// An object whose members are objects.
        case objects

        /// The probable kind of a member.
        func member(_ name: String) -> Self {
            if self == .objects { return .object }
            return switch name {
            case "tags": .texts
            case "headers", "pushVariables": .object
            case "secondaryTiles", "templates": .objects
            default: .text
            }
        }
    }

    /// A value that is neither `null` nor a string.
    fileprivate struct Other: Decodable {
        let value: JSONValue

        init(from decoder: any Decoder) throws {
            if let container = try? decoder.container(keyedBy: MemberName.self) {
                value = .object(try container.object(expecting: .object))
            } else if var container = try? decoder.unkeyedContainer() {
                value = .array(try container.values())
            } else {
                let container = try decoder.singleValueContainer()
                value =
                    if let flag = try? container.decode(Bool.self) {
                        .bool(flag)
                    } else {
                        .number(try JSONValue.number(in: container))
                    }
            }
        }
    }

    private static func number(in container: any SingleValueDecodingContainer) throws -> JSONNumber {
        if let number = try? container.decode(Int64.self) { return JSONNumber(number) }
        if let number = try? container.decode(UInt64.self) { return JSONNumber(number) }
        if let number = try? container.decode(Decimal.self), let exact = JSONNumber("\(number)") {
            return exact
        }
        guard let number = JSONNumber("\(try container.decode(Double.self))") else {
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "the number is not representable in JSON")
        }
        return number
    }

    /// Encodes a value.
    ///
    /// Numbers are encoded as 64-bit integers if they fit, and otherwise with the precision of `Decimal` or `Double`.
    /// ``Installation/json`` is lossless.
    public func encode(to encoder: any Encoder) throws {
        switch self {
        case .object(let object):
            var container = encoder.container(keyedBy: MemberName.self)
            for member in object.members {
                try container.encode(member.value, forKey: MemberName(stringValue: member.name))
            }
        case .array(let values):
            var container = encoder.unkeyedContainer()
            for value in values { try container.encode(value) }
        case .null:
            var container = encoder.singleValueContainer()
            try container.encodeNil()
        case .bool(let flag):
            var container = encoder.singleValueContainer()
            try container.encode(flag)
        case .string(let text):
            var container = encoder.singleValueContainer()
            try container.encode(text)
        case .number(let number):
            var container = encoder.singleValueContainer()
            if let integer = Int64(number.text) {
                try container.encode(integer)
            } else if let integer = UInt64(number.text) {
                try container.encode(integer)
            } else if let decimal = Decimal(string: number.text) {
                try container.encode(decimal)
            } else {
                try container.encode(Double(number.text))
            }
        }
    }

    /// A coding key for any member name.
    fileprivate struct MemberName: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }

        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }
}

/// Containers decode strings, the most frequent values, themselves: a value with a type of its own needs a decoder.
extension KeyedDecodingContainer<JSONValue.MemberName> {
    fileprivate func object(expecting kind: JSONValue.Expectation) throws -> JSONObject {
        let members = try allKeys.map { key in
            let name = key.stringValue
            return JSONObject.Member(name: name, value: try value(forKey: key, expecting: kind.member(name)))
        }
        do {
            return try JSONObject(members)
        } catch {
            throw DecodingError.dataCorrupted(
                .init(
                    codingPath: codingPath,
                    debugDescription: "duplicate name \(error.name.quotedForDisplay) in the object"))
        }
    }

    private func value(forKey key: Key, expecting kind: JSONValue.Expectation) throws -> JSONValue {
        switch kind {
        case .text: break
        case .texts:
            if var values = try? nestedUnkeyedContainer(forKey: key) { return .array(try values.values()) }
        case .object, .objects:
            if let members = try? nestedContainer(keyedBy: Key.self, forKey: key) {
                return .object(try members.object(expecting: kind))
            }
        }
        if let text = try? decode(String.self, forKey: key) { return .string(text) }
        if try decodeNil(forKey: key) { return .null }
        return try decode(JSONValue.Other.self, forKey: key).value
    }
}

extension UnkeyedDecodingContainer {
    fileprivate mutating func values() throws -> [JSONValue] {
        var values: [JSONValue] = []
        while !isAtEnd { values.append(try value()) }
        return values
    }

    private mutating func value() throws -> JSONValue {
        if let text = try? decode(String.self) { return .string(text) }
        if try decodeNil() { return .null }
        return try decode(JSONValue.Other.self).value
    }
}

/// JSON encoding and decoding of bodies.
package enum JSON {
    /// Encodes a value with sorted keys, so that equal values have equal bytes.
    package static func encode(_ value: some Encodable) throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return Array(try encoder.encode(value))
    }

    /// Decodes a value from JSON text.
    package static func decode<Value: Decodable>(_ type: Value.Type, from bytes: [UInt8]) throws -> Value {
        try JSONDecoder().decode(type, from: Data(bytes))
    }
}

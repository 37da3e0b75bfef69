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
        let single = try? decoder.singleValueContainer()
        if let single, single.decodeNil() {
            self = .null
        } else if let text = try? single?.decode(String.self) {
            self = .string(text)
        } else {
            self = try Other(from: decoder).value
        }
    }

    /// A value that is neither `null` nor a string.
    ///
    /// A failed attempt throws an error, which is slow, and each value with a type of its own needs a decoder. So containers decode
    /// strings, the most frequent values, themselves.
    fileprivate struct Other: Decodable {
        let value: JSONValue

        init(from decoder: any Decoder) throws {
            if let container = try? decoder.container(keyedBy: MemberName.self) {
                let members = try container.allKeys.map { key in
                    JSONObject.Member(name: key.stringValue, value: try container.value(forKey: key))
                }
                do {
                    value = .object(try JSONObject(members))
                } catch {
                    throw DecodingError.dataCorrupted(
                        .init(
                            codingPath: decoder.codingPath,
                            debugDescription: "duplicate name \(error.name.quotedForDisplay) in the object"))
                }
            } else if var container = try? decoder.unkeyedContainer() {
                var values: [JSONValue] = []
                while !container.isAtEnd { values.append(try container.value()) }
                value = .array(values)
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
    private struct MemberName: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }

        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }
}

extension KeyedDecodingContainer {
    fileprivate func value(forKey key: Key) throws -> JSONValue {
        if try decodeNil(forKey: key) { return .null }
        if let text = try? decode(String.self, forKey: key) { return .string(text) }
        return try decode(JSONValue.Other.self, forKey: key).value
    }
}

extension UnkeyedDecodingContainer {
    fileprivate mutating func value() throws -> JSONValue {
        if try decodeNil() { return .null }
        if let text = try? decode(String.self) { return .string(text) }
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

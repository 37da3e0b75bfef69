import HubText

extension JSONValue {
    /// The string; `nil` for any other value.
    public var string: String? { if case .string(let text) = self { text } else { nil } }

    /// The integer; `nil` for any other value, a number with a fraction or an exponent, and a number that does not fit.
    public var int: Int? { if case .number(let number) = self { Int(number.text) } else { nil } }

    /// The number, rounded to the nearest `Double`; `nil` for any other value and a number that is out of range.
    public var double: Double? {
        guard case .number(let number) = self, let double = Double(number.text), double.isFinite else { return nil }
        return double
    }

    /// The Boolean value; `nil` for any other value.
    public var bool: Bool? { if case .bool(let flag) = self { flag } else { nil } }

    /// The elements of an array; `nil` for any other value.
    public var array: [JSONValue]? { if case .array(let values) = self { values } else { nil } }

    /// The object; `nil` for any other value.
    public var object: JSONObject? { if case .object(let object) = self { object } else { nil } }

    /// The member of an object; `nil` for any other value, and if there is no such member.
    public subscript(name: String) -> JSONValue? { object?[name] }

    /// The element of an array; `nil` for any other value, and if the index is out of bounds.
    public subscript(index: Int) -> JSONValue? {
        guard let array, array.indices.contains(index) else { return nil }
        return array[index]
    }
}

// `nil` is not a literal of `null`: `object["a"] = nil` removes a member.
extension JSONValue: ExpressibleByStringInterpolation, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
    ExpressibleByBooleanLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    /// Creates a string.
    public init(stringLiteral text: String) { self = .string(text) }

    /// Creates a number from an integer.
    public init(integerLiteral number: Int) { self = .number(JSONNumber(number)) }

    /// Creates a number.
    public init(floatLiteral number: Double) {
        precondition(number.isFinite, "a JSON number must be finite")
        self = .number(JSONNumber(unchecked: "\(number)"))
    }

    /// Creates `true` or `false`.
    public init(booleanLiteral flag: Bool) { self = .bool(flag) }

    /// Creates an array.
    public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }

    /// Creates an object. The last value of a repeated name replaces the others.
    public init(dictionaryLiteral elements: (String, JSONValue)...) {
        var object = JSONObject()
        for (name, value) in elements { object[name] = value }
        self = .object(object)
    }
}

extension JSONNumber {
    /// Creates a number; `nil` for an infinity and for a value that is not a number, which JSON cannot represent.
    public init?(_ number: Double) {
        guard number.isFinite else { return nil }
        self.init(unchecked: "\(number)")
    }
}

extension JSONObject {
    /// Creates an object from a value that encodes as one, such as a `struct`. Dates and data have the form that `JSONEncoder`
    /// writes by default.
    ///
    /// - Throws: ``HubValidationError`` if the value does not encode as an object; otherwise, an error from its encoding.
    public init(encoding value: some Encodable) throws {
        let bytes = try JSON.encode(value)
        do {
            if case .object(let object) = try JSONValue(parsing: bytes) {
                self = object
                return
            }
        } catch {
            throw HubValidationError(.invalidJSON, "the value's JSON is invalid: \(error)", offset: error.offset)
        }
        throw HubValidationError(.invalidJSON, "the value must encode as an object")
    }
}

extension JSONValue: CustomStringConvertible {
    /// The JSON text.
    public var description: String { bytes.lossyText }
}

extension JSONObject: CustomStringConvertible {
    /// The JSON text.
    public var description: String { "\(JSONValue.object(self))" }
}

import HubText

/// A JSON object (RFC 8259) that is encoded as members are added.
package struct JSONOutput {
    private var fields: [UInt8] = []

    /// Creates an empty object.
    package init() {}

    /// The encoded object.
    package var bytes: [UInt8] {
        [UInt8(ascii: "{")] + fields + [UInt8(ascii: "}")]
    }

    /// Adds a string member.
    package mutating func add(_ name: String, _ text: String) {
        add(name: name)
        fields.append(jsonText: text)
    }

    /// Adds a number member.
    package mutating func add(_ name: String, _ number: Int64) {
        add(name, literal: String(number))
    }

    /// Adds a Boolean member.
    package mutating func add(_ name: String, _ flag: Bool) {
        add(name, literal: flag ? "true" : "false")
    }

    /// Adds a member with a literal JSON value, such as `null`.
    package mutating func add(_ name: String, literal: String) {
        add(name: name)
        fields += literal.utf8
    }

    /// Adds a member with an array of strings.
    package mutating func add(_ name: String, _ texts: [String]) {
        add(name: name)
        add(array: texts) { $0.append(jsonText: $1) }
    }

    /// Adds a member with an object.
    package mutating func add(_ name: String, _ object: JSONOutput) {
        add(name: name)
        fields += object.bytes
    }

    /// Adds a member with an array of objects.
    package mutating func add(_ name: String, _ objects: [JSONOutput]) {
        add(name: name)
        add(array: objects) { $0 += $1.bytes }
    }

    private mutating func add(name: String) {
        if !fields.isEmpty { fields.append(UInt8(ascii: ",")) }
        fields.append(jsonText: name)
        fields.append(UInt8(ascii: ":"))
    }

    private mutating func add<Element>(array: [Element], _ append: (inout [UInt8], Element) -> Void) {
        fields.append(UInt8(ascii: "["))
        for (index, element) in array.enumerated() {
            if index > 0 { fields.append(UInt8(ascii: ",")) }
            append(&fields, element)
        }
        fields.append(UInt8(ascii: "]"))
    }
}

extension [UInt8] {
    /// Escapes terminal control characters in JSON text.
    ///
    /// - Parameter json: JSON without line breaks between its values, so that control characters occur only in strings.
    package init(escapingJSON json: [UInt8]) {
        guard !json.allSatisfy({ (0x20..<0x7f).contains($0) }) else {
            self = json
            return
        }
        self = []
        for scalar in String(decoding: json, as: UTF8.self).unicodeScalars {
            if scalar.isTerminalControl { append(jsonEscapesOf: scalar) } else { append(contentsOf: scalar.utf8) }
        }
    }

    /// Appends a string in quotation marks, and escapes terminal control characters.
    fileprivate mutating func append(jsonText text: String) {
        append(UInt8(ascii: "\""))
        if text.utf8.allSatisfy({ $0.isUnescapedInJSON }) {
            append(contentsOf: text.utf8)
        } else {
            for scalar in text.unicodeScalars {
                if scalar == "\"" || scalar == "\\" {
                    append(UInt8(ascii: "\\"))
                    append(UInt8(truncatingIfNeeded: scalar.value))
                } else if scalar.isASCII
                    ? UInt8(truncatingIfNeeded: scalar.value).isUnescapedInJSON : !scalar.isTerminalControl
                {
                    append(contentsOf: scalar.utf8)
                } else {
                    append(jsonEscapesOf: scalar)
                }
            }
        }
        append(UInt8(ascii: "\""))
    }

    private mutating func append(jsonEscapesOf scalar: Unicode.Scalar) {
        for unit in scalar.utf16 {
            append(contentsOf: "\\u".utf8)
            append(hexDigitsOf: UInt8(unit >> 8))
            append(hexDigitsOf: UInt8(unit & 0xff))
        }
    }
}

extension UInt8 {
    fileprivate var isUnescapedInJSON: Bool {
        self >= 0x20 && self < 0x7f && self != UInt8(ascii: "\"") && self != UInt8(ascii: "\\")
    }
}

import HubText

/// A parsed template body: literal text and the expressions that a message's values fill.
package struct MessageTemplate: Sendable {
    /// The body's kind, which determines where expressions can be and how values are escaped.
    package enum Kind: Hashable, Sendable {
        /// JSON. Any string value can be an expression; names cannot.
        case json
        /// XML. The entire content of an element, attribute or CDATA section can be an expression.
        case xml
        /// Text of a raw Windows notification. Only the entire body can be an expression.
        case text

        /// Creates the kind of a platform's template, which can depend on its headers and its body.
        ///
        /// The service was observed to accept a JSON body in a template with `X-WNS-Type: wns/toast`.
        package init(_ platform: PushPlatform, headers: [String: String], body: String) {
            func header(_ name: String) -> String? { headers.first { $0.key.lowercased() == name }?.value.lowercased() }
            switch platform {
            case .windows where header("x-wns-type")?.hasSameBytes(as: "wns/raw") == true: self = .text
            case .windows: self = body.utf8.first { !$0.isASCIIWhitespace } == UInt8(ascii: "{") ? .json : .xml
            case .windowsPhone: self = ["3", "13", "23"].contains(header("x-notificationclass")) ? .text : .xml
            default: self = .json
            }
        }
    }

    /// A part of a template body.
    enum Part: Sendable {
        case text(String)
        case value(TemplateExpression)
        /// The entire content of an XML CDATA section.
        case section(TemplateExpression)

        var properties: [TemplateExpression.Property] {
            switch self {
            case .text: []
            case .value(let expression), .section(let expression): expression.properties
            }
        }
    }

    /// The maximum size of a filled template in bytes. Every platform's limit is lower.
    package static let maximumByteCount = 64 << 10

    let kind: Kind
    let parts: [Part]
    /// The names of the properties that have a default value in each expression.
    package let defaultedNames: Set<String>
    /// The names of the properties as the template has them, by their lowercase names.
    package let writtenNames: [String: String]

    /// Creates a template from its body.
    ///
    /// - Throws: `TemplateExpression.ParseError` if the body is not valid JSON or XML, as its kind requires, or if a value
    ///   starts like an expression but is invalid.
    package init(_ body: String, _ kind: Kind = .json) throws(TemplateExpression.ParseError) {
        self.kind = kind
        switch kind {
        case .json: parts = try JSONTemplateScanner.parts(of: body)
        case .xml: parts = try XMLTemplateScanner.parts(of: body)
        case .text: parts = [try TemplateExpression(value: body).map { .value($0) } ?? .text(body)]
        }
        let properties = parts.flatMap(\.properties)
        writtenNames = properties.writtenNames
        defaultedNames = Set(properties.map(\.name)).subtracting(
            properties.filter { $0.defaultValue == nil }.map(\.name))
    }

    /// Returns the body filled with values.
    ///
    /// - Parameter values: Returns the value for a lowercase name. A missing value is empty.
    /// - Returns: The body; `nil` if it is longer than ``maximumByteCount``.
    package func filled(_ values: (String) -> String?) -> String? {
        var text = ""
        for part in parts {
            switch (part, kind) {
            case (.text(let literal), _): text += literal
            case (.value(let expression), .json):
                text += expression.number(values) ?? JSONValue.string(expression.text(values)).text
            case (.value(let expression), .xml): text += XMLText.escaped(expression.text(values), quotes: true)
            case (.value(let expression), .text): text += expression.text(values)
            case (.section(let expression), _): text += XMLText.cdataContent(expression.text(values))
            }
            guard text.utf8.count <= Self.maximumByteCount else { return nil }
        }
        return text
    }
}

extension [TemplateExpression.Property] {
    /// The names as they are written, by their lowercase names.
    var writtenNames: [String: String] { Dictionary(map { ($0.name, $0.writtenName) }) { first, _ in first } }
}

/// The values of a message or an installation, by case-insensitive name.
package struct TemplateValues: Sendable {
    private let values: [String: String]
    private let writtenNames: Dictionary<String, String>.Keys

    /// Creates values by lowercase name. If names differ only in case, the first in byte order wins.
    package init(_ values: [String: String]) {
        writtenNames = values.keys
        // Expressions have ASCII names. Unicode lowercases some other letters to ASCII, such as the Kelvin sign to k.
        let sorted = values.filter { $0.key.utf8.allSatisfy { $0 < 0x80 } }.sorted {
            $0.key.precedesByBytes($1.key)
        }
        self.values = Dictionary(
            sorted.map { ($0.key.lowercased(), $0.value) }, uniquingKeysWith: { first, _ in first })
    }

    package subscript(name: String) -> String? { values[name] }

    /// Returns the names as they are written, without those whose lowercase names are in a set.
    package func names(except lowercaseNames: Set<String>) -> Set<String> {
        Set(writtenNames.filter { !lowercaseNames.contains($0.lowercased()) })
    }
}

/// A scanner for the expressions in a JSON template. All other bytes stay unchanged.
enum JSONTemplateScanner {
    /// Returns the parts of a template body.
    static func parts(of body: String) throws(TemplateExpression.ParseError) -> [MessageTemplate.Part] {
        guard case .object? = try? JSONValue(parsing: body.utf8) else {
            throw TemplateExpression.ParseError(reason: "the body must be a JSON object")
        }
        let bytes = Array(body.utf8)
        var parts: [MessageTemplate.Part] = []
        var literalStart = 0
        var position = 0
        while position < bytes.count {
            guard bytes[position] == UInt8(ascii: "\"") else {
                position += 1
                continue
            }
            let start = position
            position = end(ofStringAt: start, in: bytes)
            // A string that precedes a colon is a member's name, which is not filled.
            let next = bytes[position...].first { ![0x20, 0x09, 0x0a, 0x0d].contains($0) }
            guard next != UInt8(ascii: ":"),
                case .string(let value)? = try? JSONValue(parsing: bytes[start..<position]),
                let expression = try TemplateExpression(value: value)
            else { continue }
            parts.append(.text(String(decoding: bytes[literalStart..<start], as: UTF8.self)))
            parts.append(.value(expression))
            literalStart = position
        }
        parts.append(.text(String(decoding: bytes[literalStart...], as: UTF8.self)))
        return parts
    }

    /// Returns the index after the closing quote of a valid JSON string.
    private static func end(ofStringAt start: Int, in bytes: [UInt8]) -> Int {
        var position = start + 1
        while position < bytes.count, bytes[position] != UInt8(ascii: "\"") {
            position += bytes[position] == UInt8(ascii: "\\") ? 2 : 1
        }
        return min(position + 1, bytes.count)
    }
}

import NotificationHubs

/// The body of an installation's template, taken apart: text that stands as it is, and expressions for a message's values.
struct MessageTemplate: Sendable {
    /// What the body is, which says where expressions stand and how values are escaped.
    enum Kind: Hashable, Sendable {
        /// The texts that are values in JSON.
        case json
        /// The texts of elements and attributes in XML, and sections of CDATA.
        case xml
        /// The whole of it: a raw notification to Windows.
        case text

        /// What the templates of a platform are, by their headers.
        init(_ platform: PushPlatform, headers: [String: String]) {
            func header(_ name: String) -> String? { headers.first { $0.key.lowercased() == name }?.value.lowercased() }
            switch platform {
            case .windows: self = header("x-wns-type") == "wns/raw" ? .text : .xml
            case .windowsPhone: self = ["3", "13", "23"].contains(header("x-notificationclass")) ? .text : .xml
            default: self = .json
            }
        }
    }

    enum Part: Sendable {
        case text(String)
        case value(TemplateExpression)
        /// In XML, the whole of a section of CDATA.
        case section(TemplateExpression)
    }

    /// How many bytes it may have once it is filled: far more than any platform takes.
    static let maximumByteCount = 64 << 10

    let kind: Kind
    let parts: [Part]

    /// Reads a template.
    ///
    /// - Throws: `TemplateExpression.Invalid` if it is neither JSON nor XML, as it should be, or if a value begins like an
    ///   expression and is none.
    init(_ body: String, _ kind: Kind = .json) throws(TemplateExpression.Invalid) {
        self.kind = kind
        switch kind {
        case .json: parts = try JSONTemplateScanner.parts(of: body)
        case .xml: parts = try XMLTemplateScanner.parts(of: body)
        case .text: parts = [try TemplateExpression(value: body).map { .value($0) } ?? .text(body)]
        }
    }

    /// Whether a text that stands as it is looks as if its author had taken it for an expression.
    var hasStandingExpression: Bool {
        parts.contains { part in
            if case .text(let text) = part { text.contains("$(") } else { false }
        }
    }

    /// The body for some values, by names in lower case; one that there is not is empty.
    ///
    /// - Returns: `nil` if it is longer than ``maximumByteCount``.
    func filled(_ values: (String) -> String?) -> String? {
        var text = ""
        for part in parts {
            switch (part, kind) {
            case (.text(let literal), _): text += literal
            case (.value(let expression), .json):
                text += expression.number(values) ?? Self.quoted(expression.text(values))
            case (.value(let expression), .xml): text += XMLText.escaped(expression.text(values), quotes: true)
            case (.value(let expression), .text): text += expression.text(values)
            case (.section(let expression), _): text += XMLText.inSection(expression.text(values))
            }
            guard text.utf8.count <= Self.maximumByteCount else { return nil }
        }
        return text
    }

    private static func quoted(_ text: String) -> String {
        String(decoding: JSONValue.string(text).bytes, as: UTF8.self)
    }
}

/// A message's values and an installation's own, by their names in any case.
struct TemplateValues: Sendable {
    private let values: [String: String]

    /// Of names that differ in case alone, the first in the order of their bytes counts.
    init(_ values: [String: String]) {
        // An expression's name is ASCII. Of other letters, Unicode takes some for these, such as the Kelvin sign for a k.
        let sorted = values.filter { $0.key.utf8.allSatisfy { $0 < 0x80 } }.sorted {
            $0.key.utf8.lexicographicallyPrecedes($1.key.utf8)
        }
        self.values = Dictionary(
            sorted.map { ($0.key.lowercased(), $0.value) }, uniquingKeysWith: { first, _ in first })
    }

    subscript(name: String) -> String? { values[name] }
}

/// Finds the texts that are values in JSON; all else stays as it was written.
enum JSONTemplateScanner {
    static func parts(of body: String) throws(TemplateExpression.Invalid) -> [MessageTemplate.Part] {
        guard case .object? = try? JSONValue(parsing: body.utf8) else {
            throw TemplateExpression.Invalid(reason: "the template's body is no JSON object")
        }
        let bytes = Array(body.utf8)
        var parts: [MessageTemplate.Part] = []
        var standing = 0
        var position = 0
        while position < bytes.count {
            guard bytes[position] == UInt8(ascii: "\"") else {
                position += 1
                continue
            }
            let start = position
            position = end(ofTextAt: start, in: bytes)
            // A text with a colon behind it is a member's name, in which nothing is filled.
            let next = bytes[position...].first { ![0x20, 0x09, 0x0a, 0x0d].contains($0) }
            guard next != UInt8(ascii: ":"),
                case .string(let value)? = try? JSONValue(parsing: bytes[start..<position]),
                let expression = try TemplateExpression(value: value)
            else { continue }
            parts.append(.text(String(decoding: bytes[standing..<start], as: UTF8.self)))
            parts.append(.value(expression))
            standing = position
        }
        parts.append(.text(String(decoding: bytes[standing...], as: UTF8.self)))
        return parts
    }

    /// Behind the closing quote of a text of JSON that has been read.
    private static func end(ofTextAt start: Int, in bytes: [UInt8]) -> Int {
        var position = start + 1
        while position < bytes.count, bytes[position] != UInt8(ascii: "\"") {
            position += bytes[position] == UInt8(ascii: "\\") ? 2 : 1
        }
        return min(position + 1, bytes.count)
    }
}

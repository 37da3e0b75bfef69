/// A scanner for the expressions in an XML template. All other bytes stay unchanged.
struct XMLTemplateScanner {
    private let bytes: [UInt8]
    private var position = 0
    private var literalStart = 0
    private var parts: [MessageTemplate.Part] = []

    /// Returns the parts of a template body.
    static func parts(of body: String) throws(TemplateExpression.ParseError) -> [MessageTemplate.Part] {
        guard (try? XMLReader.read(Array(body.utf8))) != nil else {
            throw TemplateExpression.ParseError(reason: "the body must be XML")
        }
        var scanner = XMLTemplateScanner(bytes: Array(body.utf8))
        try scanner.scan()
        return scanner.parts
    }

    private init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    private mutating func scan() throws(TemplateExpression.ParseError) {
        while position < bytes.count {
            if bytes[position] != UInt8(ascii: "<") {
                let start = position
                skip { $0 != UInt8(ascii: "<") }
                try value(start..<position)
            } else if starts("<!--") {
                skip(past: "-->")
            } else if starts(Self.sectionStart) {
                let start = position + Self.sectionStart.utf8.count
                skip(past: Self.sectionEnd)
                try section(start..<position - Self.sectionEnd.utf8.count)
            } else if starts("<?") {
                skip(past: "?>")
            } else {
                try tag()
            }
        }
        parts.append(.text(String(decoding: bytes[literalStart...], as: UTF8.self)))
    }

    /// Scans a tag with its attributes.
    private mutating func tag() throws(TemplateExpression.ParseError) {
        while position < bytes.count, bytes[position] != UInt8(ascii: ">") {
            let byte = bytes[position]
            position += 1
            guard byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") else { continue }
            let start = position
            skip { $0 != byte }
            try value(start..<position)
            position += 1
        }
        position += 1
    }

    private static let sectionStart = "<![CDATA["
    private static let sectionEnd = "]]>"

    private mutating func value(_ range: Range<Int>) throws(TemplateExpression.ParseError) {
        guard let expression = try expression("<a>", range, "</a>") else { return }
        add(.value(expression), inPlaceOf: range)
    }

    private mutating func section(_ range: Range<Int>) throws(TemplateExpression.ParseError) {
        guard let expression = try expression("<a><![CDATA[", range, "]]></a>") else { return }
        add(.section(expression), inPlaceOf: range)
    }

    /// Returns the expression in a range, with references resolved by the XML parser; `nil` if the range has none.
    private func expression(
        _ start: String, _ range: Range<Int>, _ end: String
    ) throws(TemplateExpression.ParseError) -> TemplateExpression? {
        let element = Array(start.utf8) + bytes[range] + Array(end.utf8)
        guard let text = try? XMLReader.read(element).text else { return nil }
        return try TemplateExpression(value: text)
    }

    private mutating func add(_ part: MessageTemplate.Part, inPlaceOf range: Range<Int>) {
        parts.append(.text(String(decoding: bytes[literalStart..<range.lowerBound], as: UTF8.self)))
        parts.append(part)
        literalStart = range.upperBound
    }

    private func starts(_ text: String) -> Bool { bytes[position...].starts(with: text.utf8) }

    private mutating func skip(while condition: (UInt8) -> Bool) {
        while position < bytes.count, condition(bytes[position]) { position += 1 }
    }

    private mutating func skip(past text: String) {
        position = bytes[position...].firstRange(of: Array(text.utf8))?.upperBound ?? bytes.count
    }
}

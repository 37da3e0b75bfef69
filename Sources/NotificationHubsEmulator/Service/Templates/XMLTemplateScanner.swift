import NotificationHubs

/// Finds the texts of elements and attributes in XML, and sections of CDATA; all else stays as it was written.
struct XMLTemplateScanner {
    private let bytes: [UInt8]
    private var position = 0
    private var standing = 0
    private var parts: [MessageTemplate.Part] = []

    static func parts(of body: String) throws(TemplateExpression.Invalid) -> [MessageTemplate.Part] {
        guard (try? XMLReader.read(Array(body.utf8))) != nil else {
            throw TemplateExpression.Invalid(reason: "the template's body is no XML")
        }
        var scanner = XMLTemplateScanner(bytes: Array(body.utf8))
        try scanner.scan()
        return scanner.parts
    }

    private init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    private mutating func scan() throws(TemplateExpression.Invalid) {
        while position < bytes.count {
            if bytes[position] != UInt8(ascii: "<") {
                let start = position
                skip { $0 != UInt8(ascii: "<") }
                try value(start..<position)
            } else if starts("<!--") {
                skip(behind: "-->")
            } else if starts(Self.sectionStart) {
                let start = position + Self.sectionStart.utf8.count
                skip(behind: Self.sectionEnd)
                try section(start..<position - Self.sectionEnd.utf8.count)
            } else if starts("<?") {
                skip(behind: "?>")
            } else {
                try tag()
            }
        }
        parts.append(.text(String(decoding: bytes[standing...], as: UTF8.self)))
    }

    /// A tag with its attributes.
    private mutating func tag() throws(TemplateExpression.Invalid) {
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

    private mutating func value(_ range: Range<Int>) throws(TemplateExpression.Invalid) {
        guard let expression = try expression("<a>", range, "</a>") else { return }
        add(.value(expression), inPlaceOf: range)
    }

    private mutating func section(_ range: Range<Int>) throws(TemplateExpression.Invalid) {
        guard let expression = try expression("<a><![CDATA[", range, "]]></a>") else { return }
        add(.section(expression), inPlaceOf: range)
    }

    /// What stands somewhere, read as the service's answers are, references and all.
    private func expression(
        _ start: String, _ range: Range<Int>, _ end: String
    ) throws(TemplateExpression.Invalid) -> TemplateExpression? {
        let element = Array(start.utf8) + bytes[range] + Array(end.utf8)
        guard let text = try? XMLReader.read(element).text else { return nil }
        return try TemplateExpression(value: text)
    }

    private mutating func add(_ part: MessageTemplate.Part, inPlaceOf range: Range<Int>) {
        parts.append(.text(String(decoding: bytes[standing..<range.lowerBound], as: UTF8.self)))
        parts.append(part)
        standing = range.upperBound
    }

    private func starts(_ text: String) -> Bool { bytes[position...].starts(with: text.utf8) }

    private mutating func skip(while condition: (UInt8) -> Bool) {
        while position < bytes.count, condition(bytes[position]) { position += 1 }
    }

    private mutating func skip(behind text: String) {
        position = bytes[position...].firstRange(of: Array(text.utf8))?.upperBound ?? bytes.count
    }
}

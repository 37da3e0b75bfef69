import NotificationHubs

/// Finds the texts that are values in JSON; all else stays as it was written.
enum JSONTemplateScanner {
    static func parts(of body: String) throws(TemplateExpression.Invalid) -> [MessageTemplate.Part] {
        guard case .object? = try? NotificationHub.JSONValue(parsing: body.utf8) else {
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
                case .string(let value)? = try? NotificationHub.JSONValue(parsing: bytes[start..<position]),
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

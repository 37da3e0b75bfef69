import NotificationHubs

/// Reads a body of several parts (RFC 2046 §5.1), each with a name.
enum MultipartReader {
    struct Part {
        let headers: HubHeaders
        let body: [UInt8]
    }

    /// The parts by the names that `Content-Disposition` says.
    static func parts(of body: [UInt8], contentType: String) throws(ServiceRefusal) -> [String: Part] {
        guard contentType.lowercased().hasPrefix("multipart/mixed"), let boundary = parameter("boundary", contentType)
        else { throw .badRequest("The Content-Type of a batch is multipart/mixed with a boundary") }
        let delimiter = Array("\r\n--\(boundary)".utf8)
        var parts: [String: Part] = [:]
        // As if a line had ended before the body, so that the first delimiter is like the others.
        var rest = ([0x0d, 0x0a] + body)[...]
        guard let first = rest.firstRange(of: delimiter) else { throw .badRequest("The boundary is not in the body") }
        rest = rest[first.upperBound...]
        while !rest.starts(with: "--".utf8) {
            rest = rest.drop { $0 == 0x20 || $0 == 0x09 }
            guard rest.starts(with: [0x0d, 0x0a]), let end = rest.firstRange(of: delimiter) else {
                throw .badRequest("A part of the body has no end, or its lines do not end with CR LF")
            }
            let part = try part(rest[rest.startIndex..<end.lowerBound])
            guard let name = parameter("name", part.headers["Content-Disposition"] ?? ""), parts[name] == nil else {
                throw .badRequest("A part of the body has no name, or that of another")
            }
            parts[name] = part
            rest = rest[end.upperBound...]
        }
        return parts
    }

    private static func part(_ bytes: ArraySlice<UInt8>) throws(ServiceRefusal) -> Part {
        guard let head = bytes.firstRange(of: [0x0d, 0x0a, 0x0d, 0x0a]) else {
            throw .badRequest("A part of the body has no empty line behind its headers")
        }
        let lines = String(decoding: bytes[bytes.startIndex..<head.lowerBound], as: UTF8.self).split(separator: "\r\n")
        var fields: [(name: String, value: String)] = []
        for line in lines {
            let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, HubHeaders.isName(parts[0]) else {
                throw .badRequest("A header of a part of the body is not NAME: VALUE")
            }
            fields.append((String(parts[0]), trimmed(parts[1])))
        }
        return Part(headers: HubHeaders(received: fields), body: Array(bytes[head.upperBound...]))
    }

    /// A parameter behind semicolons, spaces around its equals sign and quotes around its value left aside.
    private static func parameter(_ name: String, _ header: String) -> String? {
        for field in header.split(separator: ";").dropFirst() {
            let parts = field.split(separator: "=", maxSplits: 1)
            guard parts.count == 2, trimmed(parts[0]).lowercased() == name else { continue }
            var value = trimmed(parts[1])[...]
            if value.count > 1, value.first == "\"", value.last == "\"" { value = value.dropFirst().dropLast() }
            return value.isEmpty ? nil : String(value)
        }
        return nil
    }

    private static func trimmed(_ text: Substring) -> String {
        let isSpace: (Character) -> Bool = { $0 == " " || $0 == "\t" }
        var text = text.drop(while: isSpace)
        while let last = text.last, isSpace(last) { text.removeLast() }
        return String(text)
    }
}

import NotificationHubs

/// Reads a body of several parts (RFC 2046 §5.1), each with a name.
enum MultipartReader {
    struct Part {
        let headers: HubHeaders
        let body: [UInt8]
    }

    /// The parts by the names that `Content-Disposition` says.
    ///
    /// - Parameter maximumCount: how many parts are read; one more is refused.
    static func parts(
        of body: [UInt8], contentType: String, atMost maximumCount: Int
    ) throws(ServiceRefusal) -> [String: Part] {
        let type = ParameterizedValue(contentType)
        guard type.text == "multipart/mixed", let boundary = type["boundary"], (1...70).contains(boundary.utf8.count)
        else { throw .badRequest("The Content-Type of a batch is multipart/mixed with a boundary") }
        let delimiter = Array("\r\n--\(boundary)".utf8)
        var parts: [String: Part] = [:]
        // As if a line had ended before the body, so that the first delimiter is like the others.
        var rest = ([0x0d, 0x0a] + body)[...]
        guard let first = rest.firstRange(of: delimiter) else { throw .badRequest("The boundary is not in the body") }
        rest = rest[first.upperBound...]
        while !rest.starts(with: "--".utf8) {
            guard parts.count < maximumCount else { throw .badRequest("The body has more than \(maximumCount) parts") }
            rest = rest.drop { $0 == 0x20 || $0 == 0x09 }
            guard rest.starts(with: [0x0d, 0x0a]), let end = rest.firstRange(of: delimiter) else {
                throw .badRequest("A part of the body has no end, or its lines do not end with CR LF")
            }
            let part = try part(rest[rest.startIndex..<end.lowerBound].dropFirst(2))
            guard let name = ParameterizedValue(part.headers["Content-Disposition"] ?? "")["name"], !name.isEmpty,
                parts[name] == nil
            else {
                throw .badRequest("A part of the body has no name, or that of another")
            }
            parts[name] = part
            rest = rest[end.upperBound...]
        }
        return parts
    }

    /// A part's head is written and bounded as a request's is.
    private static func part(_ bytes: ArraySlice<UInt8>) throws(ServiceRefusal) -> Part {
        let limits = HTTPLimits()
        var input = HTTPInput()
        input.append(Array(bytes))
        var lines = HTTPFieldLines()
        do throws(HTTPRequestError) {
            while let line = try lines.line(&input, limits) {
                guard line.isEmpty else {
                    try lines.append(line, limits)
                    continue
                }
                return Part(headers: HubHeaders(lines.fields), body: Array(input.take(input.count)))
            }
        } catch {
            throw .badRequest("A part of the body cannot be read: \(error.reason)")
        }
        throw .badRequest("A part of the body has no empty line behind its headers")
    }
}

/// A header's value with parameters behind it, such as `multipart/mixed; boundary="x"` (RFC 9110 §5.6.6).
struct ParameterizedValue {
    /// What stands before the first semicolon, in lower case.
    let text: String
    private var parameters: [(name: String, value: String)] = []

    init(_ header: String) {
        var rest = Array(header.utf8)[...]
        text = Self.word(&rest, until: ";").lowercased()
        while rest.popFirst() != nil {
            let name = Self.word(&rest, until: "=;").lowercased()
            guard rest.first == UInt8(ascii: "=") else { continue }
            rest = rest.dropFirst().drop(while: Self.isBlank)
            parameters.append((name, Self.quoted(&rest) ?? Self.word(&rest, until: ";")))
        }
    }

    subscript(name: String) -> String? { parameters.first { $0.name == name }?.value }

    /// What stands before one of some marks, without blanks at both ends.
    private static func word(_ rest: inout ArraySlice<UInt8>, until marks: String) -> String {
        var word = rest.prefix { !marks.utf8.contains($0) }
        rest = rest[word.endIndex...]
        word = word.drop(while: isBlank)
        while let last = word.last, isBlank(last) { word.removeLast() }
        return String(decoding: word, as: UTF8.self)
    }

    /// A text in quotes, with what stands behind it up to the next semicolon left aside; `nil` if there is none.
    private static func quoted(_ rest: inout ArraySlice<UInt8>) -> String? {
        guard rest.first == UInt8(ascii: "\"") else { return nil }
        var (after, text) = (rest.dropFirst(), [UInt8]())
        while let byte = after.popFirst(), byte != UInt8(ascii: "\"") {
            // A backslash lets the next byte stand for itself.
            text.append(byte == UInt8(ascii: "\\") ? after.popFirst() ?? byte : byte)
        }
        rest = after.drop { $0 != UInt8(ascii: ";") }
        return String(decoding: text, as: UTF8.self)
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }
}

import HubText
import NotificationHubs

/// A parser for multipart bodies with named parts (RFC 2046 §5.1).
enum MultipartReader {
    struct Part {
        let headers: HubHeaders
        let body: [UInt8]
    }

    /// Returns the parts by their names in `Content-Disposition`.
    ///
    /// - Parameters:
    ///   - body: The body.
    ///   - contentType: The value of `Content-Type`.
    ///   - maximumCount: The maximum number of parts.
    static func parts(
        of body: [UInt8], contentType: String, atMost maximumCount: Int
    ) throws(ServiceError) -> [String: Part] {
        let type = ParameterizedValue(contentType)
        // Assumption: the service also accepts what a client in Go sends: this type, without the delimiter at the end.
        let isClosed = type.text == "multipart/mixed"
        guard ["multipart/mixed", "multipart/form-data"].contains(type.text), let boundary = type["boundary"],
            (1...70).contains(boundary.utf8.count)
        else { throw .badRequest("the Content-Type of a batch must be multipart/mixed with a boundary") }
        let delimiter = Array("\r\n--\(boundary)".utf8)
        var parts: [String: Part] = [:]
        // With a line break in front, the first delimiter is like the others.
        var rest = ([0x0d, 0x0a] + body)[...]
        guard let first = rest.firstRange(of: delimiter) else {
            throw .badRequest("invalid multipart body: boundary not found")
        }
        rest = rest[first.upperBound...]
        while !rest.starts(with: "--".utf8) {
            guard parts.count < maximumCount else {
                throw .badRequest("invalid multipart body: more than \(maximumCount) parts")
            }
            rest = rest.drop { $0 == 0x20 || $0 == 0x09 }
            let end = rest.firstRange(of: delimiter) ?? rest.endIndex..<rest.endIndex
            guard rest.starts(with: [0x0d, 0x0a]), !isClosed || !end.isEmpty else {
                throw .badRequest("invalid multipart body: unterminated part, or line endings other than CR LF")
            }
            let part = try part(rest[rest.startIndex..<end.lowerBound].dropFirst(2))
            guard let name = ParameterizedValue(part.headers["Content-Disposition"] ?? "")["name"], !name.isEmpty,
                parts[name] == nil
            else {
                throw .badRequest("invalid multipart body: missing or duplicate part name")
            }
            parts[name] = part
            if end.isEmpty { break }
            rest = rest[end.upperBound...]
        }
        return parts
    }

    /// The maximum number of a part's headers.
    private static let maximumHeaderCount = 100

    private static func part(_ bytes: ArraySlice<UInt8>) throws(ServiceError) -> Part {
        var (fields, rest): ([(name: String, value: String)], _) = ([], bytes)
        while let end = rest.firstRange(of: [0x0d, 0x0a]) {
            let line = rest[..<end.lowerBound]
            rest = rest[end.upperBound...]
            if line.isEmpty { return Part(headers: HubHeaders(fields), body: Array(rest)) }
            guard fields.count < maximumHeaderCount else {
                throw .badRequest("invalid multipart body: more than \(maximumHeaderCount) headers")
            }
            do throws(HTTPFields.LineError) {
                fields.append(try HTTPFields.field(line))
            } catch {
                throw .badRequest("invalid multipart body: \(error.reason)")
            }
        }
        throw .badRequest("invalid multipart body: missing empty line after a part's headers")
    }
}

/// A header value with parameters, such as `multipart/mixed; boundary="x"` (RFC 9110 §5.6.6).
struct ParameterizedValue {
    /// The value without its parameters, in lowercase.
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

    /// Parses the text before the first delimiter and trims its whitespace.
    private static func word(_ rest: inout ArraySlice<UInt8>, until delimiters: String) -> String {
        var word = rest.prefix { !delimiters.utf8.contains($0) }
        rest = rest[word.endIndex...]
        word = word.drop(while: isBlank)
        while let last = word.last, isBlank(last) { word.removeLast() }
        return String(decoding: word, as: UTF8.self)
    }

    /// Parses a quoted string and skips to the next semicolon; `nil` if there is no quoted string.
    private static func quoted(_ rest: inout ArraySlice<UInt8>) -> String? {
        guard rest.first == UInt8(ascii: "\"") else { return nil }
        var (after, text) = (rest.dropFirst(), [UInt8]())
        while let byte = after.popFirst(), byte != UInt8(ascii: "\"") {
            // A backslash escapes the next byte.
            text.append(byte == UInt8(ascii: "\\") ? after.popFirst() ?? byte : byte)
        }
        rest = after.drop { $0 != UInt8(ascii: ";") }
        return String(decoding: text, as: UTF8.self)
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }
}

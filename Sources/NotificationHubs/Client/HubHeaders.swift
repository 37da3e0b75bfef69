import HubText

/// The ordered headers of a request or a response, with case-insensitive names and one value per name.
///
/// Descriptions redact credentials, cookies, device handles, a browser's secret and signed URLs.
public struct HubHeaders: Sendable, ExpressibleByDictionaryLiteral {
    private var fields: [(name: String, value: String)] = []

    /// Creates an empty collection of headers.
    public init() {}

    /// Creates headers from a literal. The last value of a repeated name replaces the others.
    public init(dictionaryLiteral elements: (String, String)...) {
        for (name, value) in elements { self[name] = value }
    }

    /// Creates headers from another source, such as an HTTP server. Invalid names and values are skipped. The values of a
    /// repeated name are joined with commas (RFC 9110 §5.3).
    public init(_ fields: some Sequence<(name: String, value: String)>) {
        for (name, value) in fields where Self.isName(name) && Self.isValue(value) {
            self[name] = self[name].map { "\($0), \(value)" } ?? value
        }
    }

    /// The value of a header. Names are case-insensitive.
    ///
    /// Setting an invalid name, or a value with a control character other than a tab, stops the program, because a line break
    /// would inject another header. For untrusted names and values, use ``init(_:)``.
    public subscript(name: String) -> String? {
        get { fields.first { $0.name.utf8.isEqual(ignoringCase: name) }?.value }
        set {
            precondition(Self.isName(name), "a header's name must be a token (RFC 9110 §5.6.2)")
            precondition(newValue.map(Self.isValue) ?? true, "the value of header \(name) contains a control character")
            let index = fields.firstIndex { $0.name.utf8.isEqual(ignoringCase: name) }
            switch (index, newValue) {
            case (let index?, let value?): fields[index].value = value
            case (nil, let value?): fields.append((name, value))
            case (let index?, nil): fields.remove(at: index)
            case (nil, nil): break
            }
        }
    }

    /// Returns whether a string is a token (RFC 9110 §5.6.2).
    package static func isName(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { $0.isASCIILetterOrDigit || "!#$%&'*+-.^_`|~".utf8.contains($0) }
    }

    /// Returns whether a string contains no control character except tab (RFC 9110 §5.5).
    @inlinable
    package static func isValue(_ text: some StringProtocol) -> Bool {
        text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7f || $0 == 0x09 }
    }
}

extension HubHeaders: Hashable {
    /// Returns whether two collections have the same fields in the same order. The case of names is significant.
    public static func == (left: Self, right: Self) -> Bool {
        left.fields.elementsEqual(right.fields) { $0 == $1 }
    }

    /// Hashes the fields in order.
    public func hash(into hasher: inout Hasher) {
        for (name, value) in fields {
            hasher.combine(name)
            hasher.combine(value)
        }
    }
}

extension HubHeaders: Sequence {
    /// Creates an iterator over the headers in order.
    public func makeIterator() -> some IteratorProtocol<(name: String, value: String)> {
        fields.makeIterator()
    }
}

extension HubHeaders: CustomStringConvertible, CustomReflectable {
    /// The headers, one per line, with secret values redacted.
    public var description: String {
        redacted.map { "\($0.name): \($0.value)" }.joined(separator: "\n")
    }

    /// The headers, with secret values redacted.
    public var customMirror: Mirror {
        Mirror(self, children: redacted.map { (label: $0.name, value: $0.value) })
    }

    private var redacted: [(name: String, value: String)] {
        fields.map { Self.isSecret($0.name, $0.value) ? ($0.name, "(redacted)") : $0 }
    }

    /// Whether a header contains a credential, a device's handle or a signed URL.
    private static func isSecret(_ name: String, _ value: String) -> Bool {
        let names = [
            "Authorization", "Proxy-Authorization", "Cookie", "Set-Cookie", "ServiceBusNotification-DeviceHandle",
            "Auth",
        ]
        return names.contains { name.utf8.isEqual(ignoringCase: $0) }
            || String(percentDecoding: value).lowercased().contains("sig=")
    }
}

package import HubText

/// The ordered headers of a request or a response, with case-insensitive names and one value per name.
///
/// Descriptions redact credentials, cookies, device handles, a browser's secret and signed URLs.
public struct HubHeaders: Sendable, ExpressibleByDictionaryLiteral {
    /// The headers without redaction in descriptions.
    package var fields: HTTPFields

    /// Creates an empty collection of headers.
    public init() { fields = [:] }

    /// Creates headers from a literal. The last value of a repeated name replaces the others.
    public init(dictionaryLiteral elements: (String, String)...) {
        fields = [:]
        for (name, value) in elements { fields[name] = value }
    }

    /// Creates headers from another source, such as an HTTP server. Invalid names and values are skipped. The values of a
    /// repeated name are joined with commas (RFC 9110 §5.3).
    public init(_ fields: some Sequence<(name: String, value: String)>) { self.fields = HTTPFields(fields) }

    /// Creates headers from those of an HTTP server.
    package init(_ fields: HTTPFields) { self.fields = fields }

    /// The value of a header. Names are case-insensitive.
    ///
    /// Setting an invalid name, or a value with a control character other than a tab, stops the program, because a line break
    /// would inject another header. For untrusted names and values, use ``init(_:)``.
    public subscript(name: String) -> String? {
        get { fields[name] }
        set { fields[name] = newValue }
    }
}

extension HubHeaders: Hashable {
    /// Returns whether two collections have the same fields in the same order. The case of names is significant.
    public static func == (left: Self, right: Self) -> Bool { left.fields == right.fields }

    /// Hashes the fields in order.
    public func hash(into hasher: inout Hasher) { hasher.combine(fields) }
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

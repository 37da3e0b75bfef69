import HubText

/// The headers of a request or a response: names in any case, one value each, in order.
///
/// Printing them hides the values of `Authorization`, of `ServiceBusNotification-DeviceHandle`, and of `Auth`, a browser's
/// secret.
public struct HubHeaders: Sendable, ExpressibleByDictionaryLiteral {
    private var fields: [(name: String, value: String)] = []

    /// No headers.
    public init() {}

    /// Headers with the given names and values; of a repeated name the last one counts.
    public init(dictionaryLiteral elements: (String, String)...) {
        for (name, value) in elements { self[name] = value }
    }

    /// Headers from another source, such as an HTTP server. Names and values that are not valid in HTTP are left out. The values
    /// of a repeated name are joined by commas (RFC 9110 §5.3).
    public init(_ fields: some Sequence<(name: String, value: String)>) {
        for (name, value) in fields where Self.isName(name) && Self.isValue(value) {
            self[name] = self[name].map { "\($0), \(value)" } ?? value
        }
    }

    /// The value of a header, by its name in any case.
    ///
    /// To set a name that is no token, or a value with a line break, which would begin another header, is a programmer's
    /// error; ``init(_:)`` is for names and values that are not the program's own.
    public subscript(name: String) -> String? {
        get { fields.first { $0.name.utf8.isEqual(ignoringCase: name) }?.value }
        set {
            precondition(Self.isName(name), "a header's name is a token")
            precondition(newValue.map(Self.isValue) ?? true, "a control character in the header \(name)")
            let index = fields.firstIndex { $0.name.utf8.isEqual(ignoringCase: name) }
            switch (index, newValue) {
            case (let index?, let value?): fields[index].value = value
            case (nil, let value?): fields.append((name, value))
            case (let index?, nil): fields.remove(at: index)
            case (nil, nil): break
            }
        }
    }

    private static let marks = Array("!#$%&'*+-.^_`|~".utf8)

    /// Whether a text is a token (RFC 9110 §5.6.2).
    package static func isName(_ text: some StringProtocol) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { $0.isASCIILetterOrDigit || marks.contains($0) }
    }

    /// Whether a text has no control character but tabs (RFC 9110 §5.5).
    package static func isValue(_ text: some StringProtocol) -> Bool {
        text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7f || $0 == 0x09 }
    }
}

extension HubHeaders: Hashable {
    /// Whether two have the same fields in the same order, names in the same case.
    public static func == (left: Self, right: Self) -> Bool {
        left.fields.elementsEqual(right.fields) { $0 == $1 }
    }

    /// Hashes what is compared.
    public func hash(into hasher: inout Hasher) {
        for (name, value) in fields {
            hasher.combine(name)
            hasher.combine(value)
        }
    }
}

extension HubHeaders: Sequence {
    /// The headers in order.
    public func makeIterator() -> some IteratorProtocol<(name: String, value: String)> {
        fields.makeIterator()
    }
}

extension HubHeaders: CustomStringConvertible, CustomReflectable {
    /// The headers, secrets without their values.
    public var description: String {
        redacted.map { "\($0.name): \($0.value)" }.joined(separator: "\n")
    }

    /// The headers, secrets without their values.
    public var customMirror: Mirror {
        Mirror(self, children: redacted.map { (label: $0.name, value: $0.value) })
    }

    private var redacted: [(name: String, value: String)] {
        fields.map { field in
            let secrets = ["Authorization", "ServiceBusNotification-DeviceHandle", "Auth"]
            return secrets.contains { field.name.utf8.isEqual(ignoringCase: $0) } ? (field.name, "(redacted)") : field
        }
    }
}

/// The headers of a request or a response: names in any case, one value each, in order.
///
/// Printing them hides the value of `Authorization`.
public struct HubHeaders: Sendable, ExpressibleByDictionaryLiteral {
    private var fields: [(name: String, value: String)] = []

    /// No headers.
    public init() {}

    /// Headers with the given names and values; of a repeated name the last one counts.
    public init(dictionaryLiteral elements: (String, String)...) {
        for (name, value) in elements { self[name] = value }
    }

    /// The value of a header, by its name in any case.
    ///
    /// A line break in a value would begin another header: setting one is a programmer's error.
    public subscript(name: String) -> String? {
        get { fields.first { $0.name.isSameHeaderName(as: name) }?.value }
        set {
            precondition(
                newValue?.utf8.allSatisfy { $0 != 0x0d && $0 != 0x0a && $0 != 0 } ?? true, "a line break in \(name)")
            let index = fields.firstIndex { $0.name.isSameHeaderName(as: name) }
            switch (index, newValue) {
            case (let index?, let value?): fields[index].value = value
            case (nil, let value?): fields.append((name, value))
            case (let index?, nil): fields.remove(at: index)
            case (nil, nil): break
            }
        }
    }
}

extension HubHeaders: Sequence {
    /// The headers in order.
    public func makeIterator() -> some IteratorProtocol<(name: String, value: String)> {
        fields.makeIterator()
    }
}

extension HubHeaders: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The headers, `Authorization` without its value.
    public var description: String {
        redacted.map { "\($0.name): \($0.value)" }.joined(separator: "\n")
    }

    /// The headers, `Authorization` without its value.
    public var debugDescription: String { description }

    /// The headers, `Authorization` without its value.
    public var customMirror: Mirror {
        Mirror(self, children: redacted.map { (label: $0.name, value: $0.value) })
    }

    private var redacted: [(name: String, value: String)] {
        fields.map { $0.name.isSameHeaderName(as: "Authorization") ? ($0.name, "(redacted)") : $0 }
    }
}

extension String {
    fileprivate func isSameHeaderName(as other: String) -> Bool {
        utf8.count == other.utf8.count && lowercased() == other.lowercased()
    }
}

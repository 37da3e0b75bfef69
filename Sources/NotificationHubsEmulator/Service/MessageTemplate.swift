import NotificationHubs

/// The body of an installation's template, taken apart: JSON text with `$(name)` where a message's values go.
///
/// The rest of the service's expression language (`.()`, `%()`, `#()`, lengths, defaults, `+` within braces) is refused,
/// not left standing.
struct MessageTemplate {
    private enum Part {
        case text(Substring)
        case value(name: String)
    }

    private let parts: [Part]

    /// Reads a template.
    ///
    /// - Throws: ``Invalid`` if it is not JSON, or has an expression that is not served.
    init(_ body: String) throws(Invalid) {
        guard (try? JSON.decode(AnyJSON.self, from: Array(body.utf8))) != nil else {
            throw Invalid(reason: "the template's body is no JSON")
        }
        if ["\"{", ".(", "%(", "#("].contains(where: body.contains) {
            throw Invalid(reason: "the emulator fills $(name) only: not .(), %(), #() or an expression in braces")
        }
        var parts: [Part] = []
        var rest = body[...]
        while let start = rest.firstRange(of: "$(") {
            guard let end = rest[start.upperBound...].firstIndex(of: ")") else {
                throw Invalid(reason: "an expression $( has no end")
            }
            let name = rest[start.upperBound..<end]
            guard !name.isEmpty, name.utf8.allSatisfy({ $0.isNameByte }) else {
                throw Invalid(reason: "the emulator fills $(name) only, the name of letters, digits and _")
            }
            parts.append(.text(rest[..<start.lowerBound]))
            parts.append(.value(name: name.lowercased()))
            rest = rest[rest.index(after: end)...]
        }
        parts.append(.text(rest))
        self.parts = parts
    }

    /// The body with a message's values, names compared without regard to case; what the message does not have is empty,
    /// and of names that differ in case alone the first in alphabetical order counts.
    func filled(with values: [String: String]) throws -> String {
        let sorted = values.sorted { $0.key < $1.key }.map { ($0.key.lowercased(), $0.value) }
        let values = Dictionary(sorted, uniquingKeysWith: { first, _ in first })
        return try parts.reduce(into: "") { text, part in
            switch part {
            case .text(let literal): text += literal
            case .value(let name): text += try Self.escaped(values[name] ?? "")
            }
        }
    }

    /// A text as it stands between the quotes of a JSON string.
    private static func escaped(_ text: String) throws -> String {
        String(decoding: try JSON.encode(text).dropFirst().dropLast(), as: UTF8.self)
    }

    /// Why a text is no template.
    struct Invalid: Error {
        let reason: String
    }
}

/// Any JSON value, looked at for its form alone.
private struct AnyJSON: Decodable {
    private struct Key: CodingKey {
        var stringValue: String
        var intValue: Int?

        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    init(from decoder: any Decoder) throws {
        if let object = try? decoder.container(keyedBy: Key.self) {
            for key in object.allKeys { _ = try object.decode(AnyJSON.self, forKey: key) }
        } else if var array = try? decoder.unkeyedContainer() {
            while !array.isAtEnd { _ = try array.decode(AnyJSON.self) }
        }
    }
}

extension UInt8 {
    fileprivate var isNameByte: Bool {
        switch self {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"): true
        default: false
        }
    }
}

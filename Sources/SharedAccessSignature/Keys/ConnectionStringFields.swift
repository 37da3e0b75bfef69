import HubText

/// The validated fields of a connection string, `NAME=VALUE;NAME=VALUE`: known names, nonempty values, no duplicates.
///
/// The text is split as bytes, because a semicolon and a following combining mark form one `Character`.
package struct ConnectionStringFields<Name: RawRepresentable<String> & CaseIterable & Hashable> {
    private var values: [Name: (value: String, offset: Int)] = [:]
    /// The names of the fields that have no effect.
    package private(set) var ignored: [String] = []
    /// The length of the connection string in bytes.
    private let end: Int

    /// Parses the fields.
    ///
    /// - Parameters:
    ///   - ignorable: Names of fields of related services, which have no effect.
    ///   - foreign: Names of fields that only connection strings of other services have, each with the service.
    package init(
        _ text: String, ignorable: [String] = [], foreign: [(name: String, service: String)] = []
    ) throws(ConnectionStringError) {
        end = text.utf8.count
        for rawPart in Array(text.utf8).split(separator: UInt8(ascii: ";")) {
            let part = rawPart.trimmed
            if part.isEmpty { continue }
            guard let equals = part.firstIndex(of: UInt8(ascii: "=")) else {
                throw ConnectionStringError(
                    .missingEqualsSign,
                    "invalid field at byte \(part.startIndex) of the connection string: expected NAME=VALUE",
                    offset: part.startIndex)
            }
            let nameText = part[..<equals].trimmed
            if let name = ignorable.first(where: { nameText.isEqual(ignoringCase: $0) }) {
                ignored.append(name)
                continue
            }
            if let (name, service) = foreign.first(where: { nameText.isEqual(ignoringCase: $0.name) }) {
                throw ConnectionStringError(
                    .unknownField,
                    "field \(name) at byte \(part.startIndex) shows the connection string of \(service): copy that of a hub's access policy",
                    field: name, offset: part.startIndex)
            }
            guard let name = Self.name(nameText) else {
                throw ConnectionStringError(
                    .unknownField,
                    "unknown field at byte \(part.startIndex) of the connection string (allowed: "
                        + "\(Name.allCases.map(\.rawValue).joined(separator: ", ")))",
                    offset: part.startIndex)
            }
            guard values[name] == nil else {
                throw ConnectionStringError(
                    .duplicateField,
                    "duplicate \(name.rawValue) at byte \(part.startIndex) of the connection string: remove one",
                    field: name.rawValue, offset: part.startIndex)
            }
            let value = part[(equals + 1)...].trimmed
            values[name] = (String(decoding: value, as: UTF8.self), part.startIndex)
            guard !value.isEmpty else { throw error(.emptyField, name, "it must not be empty") }
            guard !value.contains(where: { $0 < 0x20 || $0 == 0x7f }) else {
                throw error(.invalidField, name, "it contains a control character")
            }
        }
    }

    /// The value of a field and the field's offset; `nil` if the field is missing.
    package subscript(name: Name) -> (value: String, offset: Int)? { values[name] }

    /// Returns an error for a field, with its offset.
    package func error(_ code: ConnectionStringError.Code, _ name: Name, _ reason: String) -> ConnectionStringError {
        let offset = values[name]?.offset ?? end
        return ConnectionStringError(
            code, "invalid \(name.rawValue) at byte \(offset) of the connection string: \(reason)",
            field: name.rawValue, offset: offset)
    }

    /// Returns the error for a missing field.
    ///
    /// - Parameter source: The place to copy the connection string from.
    package func missing(_ name: Name, source: String = "the hub's access policies") -> ConnectionStringError {
        let reason =
            values.isEmpty
            ? "the connection string is empty: copy it from \(source)"
            : "the connection string has no \(name.rawValue): copy the whole text from \(source)"
        return ConnectionStringError(.missingField, reason, field: name.rawValue, offset: end)
    }

    /// Returns the field with a name in any case; `nil` for an unknown name.
    private static func name(_ text: ArraySlice<UInt8>) -> Name? {
        Name.allCases.first { text.isEqual(ignoringCase: $0.rawValue) }
    }
}

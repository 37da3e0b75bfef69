import HubText
import NotificationHubs

/// The columns of a CSV file of installations, and the conversion of its records.
///
/// A record is converted to the JSON of an installation, so that both formats have the same rules.
struct DeviceTable: Hashable, Sendable {
    /// The columns in their order.
    let columns: [Column]

    /// A column: a member of an installation, or the body of the template with a name.
    enum Column: Hashable, Sendable {
        case member(String)
        case template(String)

        /// The name in the header.
        var name: String {
            switch self {
            case .member(let name): name
            case .template(let name): Self.templatePrefix + name
            }
        }

        private static let templatePrefix = "template:"
        /// The members that a column can contain.
        static let members = ["installationId", "platform", "pushChannel", "userId", "tags", "expirationTime"]
        /// The members that a file must have columns for.
        static let requiredMembers = members.prefix(3)

        /// Creates a column from its name, ignoring case except in that of a template.
        init?(_ name: String) {
            if let member = Self.members.first(where: { $0.lowercased() == name.lowercased() }) {
                self = .member(member)
            } else if name.hasPrefix(Self.templatePrefix), name != Self.templatePrefix {
                self = .template(String(name.dropFirst(Self.templatePrefix.count)))
            } else {
                return nil
            }
        }
    }

    /// An error for a header, or for a device that a table cannot contain.
    struct TableError: Error, Hashable, CustomStringConvertible {
        let description: String
    }

    /// Creates the table of an export.
    ///
    /// - Parameter templates: The names of the templates whose bodies it contains.
    init(templates: [String]) {
        columns = Column.members.map { .member($0) } + templates.map { .template($0) }
    }

    /// Creates the table of a file from its first record.
    init(header bytes: [UInt8]) throws {
        guard !bytes.starts(with: [0xff, 0xfe]), !bytes.starts(with: [0xfe, 0xff]) else {
            throw TableError(description: "the file is in UTF-16: save it as CSV in UTF-8")
        }
        if let first = bytes.first, [UInt8(ascii: "{"), UInt8(ascii: "["), UInt8(ascii: "<")].contains(first) {
            throw TableError(description: "the file contains JSON or XML: omit --format csv")
        }
        let names = bytes.isEmpty ? [] : try CSVRecord(bytes).fields
        if names.count == 1, names[0].utf8.contains(UInt8(ascii: ";")) {
            throw TableError(description: "the columns must be separated by commas, not semicolons")
        }
        var columns: [Column] = []
        for (index, name) in names.enumerated() {
            guard let column = Column(name) else {
                throw TableError(
                    description: "column \(index + 1): unknown name \(name.quotedForDisplay) (allowed: "
                        + Column.members.joined(separator: ", ") + ", template:NAME)")
            }
            guard !columns.contains(column) else {
                throw TableError(description: "column \(index + 1): duplicate column \(name.quotedForDisplay)")
            }
            columns.append(column)
        }
        if let missing = Column.requiredMembers.first(where: { !columns.contains(.member($0)) }) {
            throw TableError(description: "missing column \(missing)")
        }
        self.columns = columns
    }

    /// The header as a record.
    var header: CSVRecord { CSVRecord(fields: columns.map(\.name)) }

    /// Returns the installation in a record as JSON that is not validated. An empty field is a missing member.
    func json(of record: CSVRecord) throws(TableError) -> JSONObject {
        guard record.fields.count == columns.count else {
            throw TableError(
                description: "expected \(columns.count) fields, as in the header; got \(record.fields.count)")
        }
        var (object, templates): (JSONObject, JSONObject) = ([:], [:])
        for (column, text) in zip(columns, record.fields) where !text.isEmpty {
            switch column {
            case .template(let name): templates[name] = .object(["body": .string(text)])
            case .member("tags"):
                object["tags"] = .array(
                    text.utf8.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false).map {
                        .string(String(Substring($0)))
                    })
            case .member("platform"):
                object["platform"] = .string(PlatformName.platform(text)?.rawValue ?? text)
            case .member("pushChannel"):
                // The channel of a browser is an object.
                let subscription = text.utf8.first == UInt8(ascii: "{") ? try? JSONValue(parsing: text.utf8) : nil
                object["pushChannel"] = subscription ?? .string(text)
            case .member(let name): object[name] = .string(text)
            }
        }
        if !templates.members.isEmpty { object["templates"] = .object(templates) }
        return object
    }

    /// Returns the record of an installation.
    ///
    /// - Throws: ``TableError`` with the parts that the table cannot contain, if reading the record would not give the same
    ///   installation.
    func record(of installation: Installation) throws(TableError) -> CSVRecord {
        // An import does not send isPushChannelExpired, and the hub adds each template's name as its tag.
        var installation = installation
        installation.isPushChannelExpired = nil
        for (name, template) in installation.templates where template.tags.map(\.rawValue) == [name.rawValue] {
            installation.templates[name]?.tags = []
        }
        guard case .object(let members)? = try? JSONValue(parsing: installation.json) else {
            throw TableError(description: "members with too many levels of nesting")
        }
        let record = CSVRecord(fields: columns.map { Self.text(of: $0, in: members) })
        let read = try json(of: record)
        if let copy = try? Installation(json: JSONValue.object(read).bytes), copy == installation { return record }
        let lost = members.members.filter { read[$0.name] != $0.value }.map { member in
            guard member.name == "templates", case .object(let templates) = member.value else { return member.name }
            let missing = templates.members.map(\.name).filter { !columns.contains(.template($0)) }.sorted()
            return missing.isEmpty
                ? "headers, tags or expiry of templates"
                : "templates (pass " + missing.map { "--template \($0)" }.joined(separator: " ") + ")"
        }
        throw TableError(description: lost.sorted().joined(separator: ", "))
    }

    private static func text(of column: Column, in members: JSONObject) -> String {
        switch column {
        case .template(let name):
            guard case .object(let templates)? = members["templates"], case .object(let template)? = templates[name]
            else { return "" }
            return template["body"]?.string ?? ""
        case .member("tags"):
            guard case .array(let tags)? = members["tags"] else { return "" }
            return tags.compactMap(\.string).joined(separator: ";")
        case .member(let name):
            return members[name].map { $0.string ?? $0.bytes.lossyText } ?? ""
        }
    }

    /// Returns the column of an error about a member of a record, such as `column 5: `; an empty text for another error.
    func place(of error: HubValidationError) -> String {
        let parts = error.path?.split(separator: "/").map(String.init) ?? []
        let column: Column? =
            if parts.count > 1, parts[0] == "templates" { .template(parts[1]) } else { parts.first.map { .member($0) } }
        return column.flatMap(columns.firstIndex).map { "column \($0 + 1): " } ?? ""
    }
}

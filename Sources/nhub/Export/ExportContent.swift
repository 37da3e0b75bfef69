import HubCommandLine
import NotificationHubs

/// The content of an export: its format, and the columns of a CSV file.
struct ExportContent: Sendable {
    let format: DeviceFormat
    private let table: DeviceTable

    /// Parses `--format` and `--template`.
    init(_ arguments: inout Arguments) throws(UsageError) {
        format = try DeviceFormat(&arguments)
        let templates = try arguments.values(of: .template).map(\.value)
        guard templates.isEmpty || format == .csv else { throw UsageError("--template: requires --format csv") }
        guard Set(templates).count == templates.count else {
            throw UsageError("--template: a template given more than once")
        }
        for name in templates {
            try UsageError.parsing(.template) { _ = try Installation.Template.Name(validating: name) }
        }
        table = DeviceTable(templates: templates)
    }

    /// The text that identifies the content in the journal; `nil` for JSON.
    var text: String? {
        switch format {
        case .json: nil
        case .service: format.rawValue
        case .csv: table.header.fields.joined(separator: ",")
        }
    }

    /// The bytes at the start of the file.
    var head: [UInt8] { format == .csv ? table.header.bytes : [] }

    /// Returns the ID of the installation in a line of the file, if any.
    func installationID(_ line: [UInt8]) -> String? {
        switch format {
        case .json: (try? JSONValue(parsing: line))?.object?["installationId"]?.string
        case .service: nil
        case .csv: (try? CSVRecord(line))?.fields.first.flatMap { $0 == table.header.fields.first ? nil : $0 }
        }
    }

    /// Returns a device's line with its line ending.
    ///
    /// - Throws: An error with the parts that the format cannot contain.
    func line(of record: DeviceRecord) throws -> [UInt8] {
        switch (format, record) {
        case (.json, _): record.json + [0x0a]
        case (.service, .registration(let entry)): try entry.line + [0x0a]
        case (.csv, .installation(let installation)): try table.record(of: installation).bytes
        case (.service, .installation):
            throw DeviceTable.TableError(description: "an installation")
        case (.csv, .registration):
            throw DeviceTable.TableError(description: "registrations without an installation (use --format json)")
        }
    }
}

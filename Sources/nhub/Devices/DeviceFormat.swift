import HubCommandLine

/// A format of files of devices.
enum DeviceFormat: String, CaseIterable, Sendable {
    /// One JSON object per line.
    case json
    /// The XML of one registration per line, as jobs of the service read and write it.
    case service
    /// Comma-separated values (RFC 4180).
    case csv

    /// The format of the file's lines.
    var lines: LineReader.Format { self == .csv ? .csv : .linesOrArray }

    /// Removes `--format` and returns its value.
    init(_ arguments: inout Arguments) throws(UsageError) {
        self = try arguments.value(of: .format).flatMap(Self.init) ?? .json
    }
}

extension CommandOption {
    /// The option for the format of a file of devices.
    static func format(help: String) -> CommandOption {
        CommandOption(.format, value: "NAME", kind: .choices(DeviceFormat.allCases.map(\.rawValue)), help: help)
    }
}

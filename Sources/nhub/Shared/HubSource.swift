import HubCommandLine
import HubText
import SharedAccessSignature

/// A place that can contain a hub's connection string and name: the command line, the environment or a profile.
struct HubSource: Sendable {
    /// A value, and the option, variable or line that contains it.
    struct Setting: Sendable {
        let value: String
        /// The start of error messages, such as `--hub`.
        let label: String

        init(_ value: String, from label: String) {
            (self.value, self.label) = (value, label)
        }

        init(_ value: String, from option: OptionName) {
            self.init(value, from: option.description)
        }

        /// Creates a setting from an environment variable; `nil` if it is not set or is empty.
        init?(variable name: String) {
            guard let value = try? Environment.value(of: name) else { return nil }
            self.init(value, from: name)
        }
    }

    /// A connection string or another secret, or where to find it.
    enum Connection: Sendable {
        case text(Setting)
        case variable(Setting)
        case file(Setting)
    }

    var hub: Setting?
    var connection: Connection?
    /// The error for a missing hub name if the connection string of this source is used.
    var missingHub = UsageError(
        "missing hub name: set NOTIFICATION_HUB_NAME, pass --hub, or add EntityPath to the connection string")

    /// The two environment variables.
    static var environment: HubSource {
        HubSource(
            hub: Setting(variable: "NOTIFICATION_HUB_NAME"),
            connection: Setting(variable: "NOTIFICATION_HUB_CONNECTION_STRING").map { .text($0) })
    }

    /// The error for a missing connection string.
    static let missingConnection = UsageError(
        "missing connection string: environment variable NOTIFICATION_HUB_CONNECTION_STRING is not set or is empty; set it, "
            + "or pass --connection-string-env, --connection-string-file or --profile")
}

extension HubSource.Connection {
    /// The maximum size of a file with a connection string, in bytes.
    private static let maximumFileSize = 65_536

    /// The start of error messages, such as `--connection-string-env`.
    var label: String { setting.label }

    private var setting: HubSource.Setting {
        switch self {
        case .text(let setting), .variable(let setting), .file(let setting): setting
        }
    }

    /// Reads and parses the connection string.
    ///
    /// - Throws: `UsageError`, which omits the string.
    func connectionString() throws(UsageError) -> ConnectionString {
        let text = try text(named: "the connection string")
        do {
            let connection = try ConnectionString(text)
            for field in connection.ignoredFields {
                Console.error("nhub: warning: \(setting.label): \(field) has no effect")
            }
            return connection
        } catch {
            throw UsageError("\(setting.label): \(error)")
        }
    }

    /// Reads the secret.
    ///
    /// - Parameter name: The kind of secret for errors, such as `the key`.
    func text(named name: String) throws(UsageError) -> String {
        switch self {
        case .text(let setting): return setting.value
        case .variable(let setting):
            guard let value = HubSource.Setting(variable: setting.value)?.value else {
                let variable = setting.value.isPlainVariableName ? setting.value : "(redacted)"
                throw UsageError("\(setting.label): environment variable \(variable) is not set or is empty")
            }
            return value
        case .file(let setting):
            let bytes: [UInt8]
            do {
                bytes = try InputFile(path: Array(setting.value.utf8)).rest(upTo: Self.maximumFileSize + 1)
            } catch {
                throw UsageError(
                    "\(setting.label): cannot read the file \(Arguments.fileName(setting.value).map { $0 + " " } ?? "")with \(name): \(error)"
                )
            }
            guard bytes.count <= Self.maximumFileSize else {
                throw UsageError("\(setting.label): the file is larger than \(Self.maximumFileSize) bytes")
            }
            guard let text = String(strictUTF8: bytes.trimmed) else {
                throw UsageError("\(setting.label): the file must be valid UTF-8")
            }
            return text
        }
    }
}

extension String {
    /// Whether the text is a variable's name in upper case, and not a misplaced secret.
    fileprivate var isPlainVariableName: Bool {
        utf8.count <= 60
            && utf8.allSatisfy { (0x41...0x5a).contains($0) || $0.isASCIIDigit || $0 == UInt8(ascii: "_") }
    }
}

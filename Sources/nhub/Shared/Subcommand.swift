import HubCommandLine

/// A word behind `nhub`, and what it does.
protocol Subcommand: SendableMetatype {
    /// The word.
    static var name: String { get }
    /// What it does, in a line of the overview.
    static var summary: String { get }
    /// The text of its `--help`.
    static var help: String { get }
    /// Does it. `--help` has been taken care of.
    static func run(_ arguments: consuming Arguments) async throws -> ExitStatus
}

extension Arguments {
    /// Takes what is left: exactly one operand for each name.
    ///
    /// - Parameter names: what the operands are, for the error's text.
    mutating func operands(named names: String...) throws(UsageError) -> [String] {
        let operands = try operands()
        if operands.count < names.count { throw UsageError("\(names[operands.count]) is missing") }
        if operands.count > names.count {
            throw UsageError("the argument \(Self.quoted(operands[names.count])) is one too many")
        }
        return operands
    }
}

extension UsageError {
    /// Makes a value of what stands on the command line.
    ///
    /// - Parameter option: where it stands.
    /// - Throws: a usage error for anything that is thrown. Errors of the library do not repeat the text.
    static func reading<Value>(_ option: String, _ value: () throws -> Value) throws(UsageError) -> Value {
        do {
            return try value()
        } catch {
            throw UsageError("\(option): \(error)")
        }
    }
}

/// Texts that the help of several subcommands shares.
enum Help {
    /// The environment variables of the subcommands that connect to a hub.
    static let environment = """
        ENVIRONMENT:
          NOTIFICATION_HUB_CONNECTION_STRING   A connection string of the hub's access policies.
          NOTIFICATION_HUB_NAME                The hub's name.
          SSL_CERT_FILE                        A PEM file of certificate authorities to trust instead of the system's.
          https_proxy, http_proxy, no_proxy    A proxy, and the hosts to reach without it.
        """

    /// The option and the environment variables of the subcommands that connect to a hub.
    static let connection = """
        CONNECTION:
          --ca-file FILE    Also trust the certificate authorities in this PEM file.

        \(environment)
        """
}

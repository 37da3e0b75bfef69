import HubCommandLine

/// The texts of `--help`.
enum Help {
    /// Returns the help of a subcommand, or the overview.
    static func text(on subcommand: String?) throws(UsageError) -> String {
        guard let subcommand, subcommand != "help" else { return overview }
        return try command(subcommand).help(of: "sas")
    }

    /// Returns the subcommand with a name.
    static func command(_ name: String) throws(UsageError) -> Command {
        guard let command = SAS.commands.first(where: { $0.name == name }) else {
            let suggestion = Suggestion.text(for: name, among: SAS.commands.map(\.name))
            let hint = suggestion.isEmpty ? " (see sas --help)" : suggestion
            throw UsageError("unknown subcommand: \(Arguments.quoted(name))\(hint)")
        }
        return command
    }

    static let overview = """
        OVERVIEW: Sign, verify and inspect shared access signatures, the tokens of Azure Notification Hubs.

        USAGE: sas <subcommand> [options]

        \(Command.list("SUBCOMMANDS", SAS.commands.map { ($0.name, $0.summary) } + [
            ("help", "Show a subcommand's help: sas help verify.")
        ]))

        \(Command.list("OPTIONS", [("-V, --version", "Show the version."), ("-h, --help", "Show this help.")]))

        Results go to standard output, errors and warnings to standard error. With --json, a failure is a JSON object with
        code and message on standard output. Pass keys in environment variables or files; the command line accepts no key.
        Pass tokens on standard input.

        \(Command.list("EXIT STATUS", [
            ("0", "valid; for audit, nothing was found"), ("1", "invalid; for audit, a secret was found"),
            ("2", "invalid command line or setting; nothing was done"),
            ("3", "an input cannot be read, or the result cannot be written"),
        ]))
        """
}

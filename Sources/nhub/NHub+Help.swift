import HubCommandLine

extension NHub {
    /// Returns the help for a subcommand, or the overview for `nil`.
    static func help(on name: String?) throws(UsageError) -> String {
        guard let name else { return overview }
        return try subcommand(name).help
    }

    /// Returns the subcommand with a name.
    static func subcommand(_ name: String) throws(UsageError) -> any Subcommand.Type {
        guard let subcommand = subcommands.first(where: { $0.name == name }) else {
            throw UsageError("unknown subcommand: \(Arguments.quoted(name)) (see nhub --help)")
        }
        return subcommand
    }

    static var overview: String {
        let names =
            subcommands.map { ($0.name, $0.summary) } + [
                ("help", "Show the help for a subcommand, as in: nhub help demo.")
            ]
        let lines = names.map { "  " + $0.padded(to: 14) + $1 }
        return """
            OVERVIEW: Work with Azure Notification Hubs from the command line.

            USAGE: nhub <subcommand> [options]

            SUBCOMMANDS:
            \(lines.joined(separator: "\n"))

            OPTIONS:
              --version     Show the version.
              -h, --help    Show this help, or the help for a subcommand.

            \(Help.environment)

            With --json, a failure is a JSON object with code and message on standard output.

            EXIT STATUS (see also the help for each subcommand):
              0  success
              1  failure, such as a hub that rejects the request or cannot be reached, a failed line, or a missing
                 installation
              2  invalid command line or setting, or the port is in use; nothing was done
              3  the input cannot be read or is invalid, or the output cannot be written
              128 + N  ended by signal N (130 for an interrupt)
            """
    }
}

extension String {
    fileprivate func padded(to count: Int) -> String {
        self + String(repeating: " ", count: max(1, count - utf8.count))
    }
}

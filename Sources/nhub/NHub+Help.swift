import HubCommandLine

extension NHub {
    /// The help on a subcommand, or on all of them.
    static func help(on name: String?) throws(UsageError) -> String {
        guard let name else { return overview }
        return try subcommand(name).help
    }

    /// The subcommand of a name.
    static func subcommand(_ name: String) throws(UsageError) -> any Subcommand.Type {
        guard let subcommand = subcommands.first(where: { $0.name == name }) else {
            throw UsageError("the subcommand \(Arguments.quoted(name)) is unknown; see nhub --help")
        }
        return subcommand
    }

    static var overview: String {
        let names =
            subcommands.map { ($0.name, $0.summary) } + [
                ("help", "Show a subcommand's help: nhub help demo.")
            ]
        let lines = names.map { "  " + $0.padded(to: 14) + $1 }
        return """
            OVERVIEW: Azure Notification Hubs from a shell.

            USAGE: nhub <subcommand> [options]

            SUBCOMMANDS:
            \(lines.joined(separator: "\n"))

            OPTIONS:
              --version     Show the version.
              -h, --help    Show this help, or a subcommand's.

            \(Help.environment)

            EXIT STATUS:
              0  all went well
              1  a step failed
              2  the command line or a setting is wrong; nothing was done
              3  what was to be read cannot be
            """
    }
}

extension String {
    fileprivate func padded(to count: Int) -> String {
        self + String(repeating: " ", count: max(1, count - utf8.count))
    }
}

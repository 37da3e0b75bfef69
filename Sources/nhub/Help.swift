import HubCommandLine

/// The texts of `--help`.
enum Help {
    /// The help on a subcommand, or on all of them.
    static func text(on subcommand: String?) throws(UsageError) -> String {
        switch subcommand {
        case nil: overview
        case "demo": demo
        case let name?: throw unknown(name)
        }
    }

    /// The error for a subcommand that there is not.
    static func unknown(_ subcommand: String) -> UsageError {
        UsageError("the subcommand \(Arguments.quoted(subcommand)) is unknown; see nhub --help")
    }

    static let overview = """
        OVERVIEW: Azure Notification Hubs from a shell.

        USAGE: nhub <subcommand> [options]

        SUBCOMMANDS:
          demo          Register a device, send it a message, and show what it receives.
          help          Show a subcommand's help: nhub help demo.

        OPTIONS:
          --version     Show the version.
          -h, --help    Show this help.

        EXIT STATUS:
          0  all went well
          1  a step failed
          2  the command line or a setting is wrong; nothing was done
        """

    static let demo = """
        OVERVIEW: Register a device, send it a message, and show what it receives.

        Starts an emulated hub on this machine and runs against it, by HTTP. Nothing leaves the machine.

        USAGE: nhub demo [--port N] [--hub NAME] [--json]
               nhub demo --live [--json]

        OPTIONS:
          --port N      The emulator's port; without it, the system chooses.
          --hub NAME    The emulated hub's name; without it, "demo".
          --live        Run the same steps on a real hub. The installation and the tag have random names, so that nobody
                        else is reached, and the installation is deleted at the end, after a failure too.
          --json        One JSON object a line.
          -h, --help    Show this help.

        ENVIRONMENT, for --live alone:
          NOTIFICATION_HUB_CONNECTION_STRING   A connection string that may listen and send.
          NOTIFICATION_HUB_NAME                The hub's name.

        EXIT STATUS:
          0  all went well
          1  a step failed
          2  the command line or a setting is wrong; nothing was done
          128 + N  broken off by signal N (130 by an interrupt); the installation is deleted all the same
        """
}

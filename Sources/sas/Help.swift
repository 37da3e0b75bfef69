import HubCommandLine

/// The texts of `--help`.
enum Help {
    /// The help on a subcommand, or on all of them.
    static func text(on subcommand: String?) throws(UsageError) -> String {
        switch subcommand {
        case nil, "help": overview
        case "sign": sign
        case "verify": verify
        case "inspect": inspect
        case "audit": audit
        case let name?: throw unknown(name)
        }
    }

    /// The error for a subcommand that there is not.
    static func unknown(_ subcommand: String) -> UsageError {
        UsageError("the subcommand \(Arguments.quoted(subcommand)) is unknown; see sas --help")
    }

    static let overview = """
        OVERVIEW: Shared access signatures, the tokens of Azure Notification Hubs, from a shell.

        USAGE: sas <subcommand> [options]

        SUBCOMMANDS:
          sign          Make a token.
          verify        Say whether a token grants access to a resource.
          inspect       Explain a token, and what is wrong with it.
          audit         Find tokens and connection strings in files.
          help          Show a subcommand's help: sas help verify.

        OPTIONS:
          --version     Show the version.
          -h, --help    Show this help.

        Results go to standard output, all else to standard error. No secret is taken from the command line: keys come
        from the environment or from files, tokens best from standard input.

        EXIT STATUS:
          0  valid; for audit, nothing was found
          1  not valid; for audit, something was found
          2  the command line or a setting is wrong; nothing was done
          3  something cannot be read, or the result cannot be written
        """

    static let keyOptions = """
        KEY:
          --connection-string-env VARIABLE   The environment variable that has a connection string.
          --key-name NAME                    The policy's name, and behind it, its key by one of these:
          --key-env VARIABLE                 The environment variable that has the key.
          --key-file PATH                    The file that has the key; one line's end behind it is ignored.
          --secret-encoding NAME             What the key's bytes are: utf8, those of its text (Notification Hubs, Service
                                             Bus, Event Hubs; the default), or base64, what it decodes to (IoT Hub).
        """
}

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

    static let sign = """
        OVERVIEW: Make a token, and print it as the value of an Authorization header.

        USAGE: sas sign --resource URL --key-name NAME (--key-env VARIABLE | --key-file PATH) [options]
               sas sign --connection-string-env VARIABLE [--hub NAME | --resource URL] [options]

        OPTIONS:
          --resource URL    What the token is for, with all below it. Without it, the hub that --hub or the connection
                            string's EntityPath names; without these, all of the connection string's namespace.
          --hub NAME        The hub, where the connection string does not name it.
          --expires WHEN    When the token ends: +90s, +5m, +1h (the default), +7d, or @EPOCH.
          --encoding NAME   Which library's spelling the token has: standard (the default), verbatim, dotnet,
                            dotnet-framework, servicebus-dotnet, javascript, java, ios, swift-tutorial, go, python,
                            python-iot or eventhubs-java. The service takes them all.
          --now EPOCH       Count from this second since 1970, not from now.
          --json            Print an object: token, resource, keyName, expires.
          -h, --help        Show this help.

        \(keyOptions)

        EXIT STATUS:
          0  the token is on standard output
          2  the command line or a setting is wrong
          3  the key's file cannot be read, or the result cannot be written
        """

    static let verify = """
        OVERVIEW: Say whether a token grants access to a resource.

        USAGE: sas verify --resource URL KEY... [options] [TOKEN | -]

        The token comes from standard input, unless it stands on the command line, where other users of the machine can
        see it. "Authorization:" before it, and one line's end behind it, are ignored. Several keys may be given, primary
        and secondary ones: --key-name NAME --key-env PRIMARY --key-env SECONDARY.

        OPTIONS:
          --resource URL      What access is asked for.
          --leeway TIME       How much longer than it says a token is taken: 90s, 5m, 1h, or a number of seconds.
          --max-lifetime TIME How long a token may still last.
          --now EPOCH         The time that counts as now, in seconds since 1970.
          --lines             Take each line of standard input as a token, and print an object a line, in the same order.
          --json              Print an object: valid, and resource, keyName and expires or reasons.
          -h, --help          Show this help.

        \(keyOptions)

        REASONS:
          malformed, unknownKey, invalidSignature, expired, lifetimeTooLong, outOfScope. Beside malformed stand problem and
          offset, in bytes from the token's start.

        EXIT STATUS:
          0  valid; with --lines, each of them
          1  not valid; with --lines, at least one of them, or there is none
          2  the command line or a setting is wrong, such as a --resource that no request can be for
          3  standard input or the key's file cannot be read, or the result cannot be written
        """

    static let inspect = """
        OVERVIEW: Explain a token: each field, the string that was signed, when it ends, which libraries spell it like this,
        and what is wrong with it. The signature is not shown.

        USAGE: sas inspect [KEY...] [options] [TOKEN | -]

        The token comes from standard input, unless it stands on the command line, where other users of the machine can
        see it. No key is needed. With one, inspect says whether it signed the token, and if not, whether it did by one of
        the common mistakes: over another spelling of the resource, with the key's base64 decoded, and so on.

        OPTIONS:
          --now EPOCH       The time that counts as now, in seconds since 1970.
          --json            Print an object.
          -h, --help        Show this help.

        \(keyOptions)

        EXIT STATUS:
          0  there is no problem, only notes: a well-formed token for a place, that has not ended and, where a key is given,
             is signed by it
          1  anything else
          2  the command line or a setting is wrong
          3  standard input or the key's file cannot be read, or the result cannot be written
        """

    static let audit = """
        OVERVIEW: Find tokens and connection strings in files, and say where they are without printing them.

        USAGE: sas audit [options] [FILE... | -]

        Without a file, or for -, standard input is searched. Directories are searched with all below them, but for .git
        and symbolic links. Files may have any bytes and any size. What was found may be plain, escaped as in JSON, HTML or a
        URL, or in UTF-16, and up to 16 KiB long. Tokens that have ended count, too.

        Not found are secrets in base64, as those of Kubernetes; ones that a line break was put into; keys under names such
        as shared_access_key; and what stands in place of a key but looks like a placeholder.

        A line says FILE:LINE:COLUMN, the column in bytes; what a token is for and until when, or what a connection string's
        host and policy are; and a fingerprint, the same for the same secret. The fingerprint of a key is made by HMAC; that
        of a token's signature is the beginning of its text's SHA-256.

        OPTIONS:
          --allow FINGERPRINT
                            Take no notice of this secret, which is known. May be there more than once.
          --now EPOCH       The time that counts as now, in seconds since 1970.
          --json            Print an object a line: kind (token, connectionString or key), file, line, column, and as far as
                            they are known resource or host, keyName, expires, secondsLeft, expired, fingerprint.
          -h, --help        Show this help.

        EXIT STATUS:
          0  nothing was found, but what is allowed
          1  something was found
          2  the command line is wrong; nothing was done
          3  a file cannot be read, or the result cannot be written; all other files were searched
        """
}

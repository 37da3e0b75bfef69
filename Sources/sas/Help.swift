import HubCommandLine

/// The texts of `--help`.
enum Help {
    /// Returns the help of a subcommand, or the overview.
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

    /// Returns the error for an unknown subcommand.
    static func unknown(_ subcommand: String) -> UsageError {
        UsageError("unknown subcommand: \(Arguments.quoted(subcommand)) (see sas --help)")
    }

    static let overview = """
        OVERVIEW: Sign, verify and inspect shared access signatures, the tokens of Azure Notification Hubs.

        USAGE: sas <subcommand> [options]

        SUBCOMMANDS:
          sign          Sign a token.
          verify        Verify a token.
          inspect       Explain a token and its problems.
          audit         Find tokens, connection strings and keys in files.
          help          Show a subcommand's help: sas help verify.

        OPTIONS:
          --version     Show the version.
          -h, --help    Show this help.

        Results go to standard output, errors and warnings to standard error. Pass keys in environment variables or
        files; the command line accepts no key. Pass tokens on standard input.

        EXIT STATUS:
          0  valid; for audit, nothing was found
          1  invalid; for audit, a secret was found
          2  invalid command line or setting; nothing was done
          3  an input cannot be read, or the result cannot be written
        """

    static let keyOptions = """
        KEY:
          --connection-string-env VARIABLE   Environment variable that contains a connection string.
          --key-name NAME                    Policy name, followed by its key in one of the next two options.
          --key-env VARIABLE                 Environment variable that contains the key.
          --key-file PATH                    File that contains the key; a trailing newline is ignored.
          --secret-encoding NAME             Conversion of the key to bytes: utf8 for its text (Notification Hubs,
                                             Service Bus, Event Hubs; the default) or base64 to decode it (IoT Hub).
        """

    static let sign = """
        OVERVIEW: Sign a token and print it as the value of an Authorization header.

        USAGE: sas sign --resource URL --key-name NAME (--key-env VARIABLE | --key-file PATH) [options]
               sas sign --connection-string-env VARIABLE [--hub NAME | --resource URL] [options]

        OPTIONS:
          --resource URL    URL that the token grants access to, with everything below it. Default: the hub in --hub or
                            in the connection string's EntityPath; without either, the whole namespace.
          --hub NAME        Hub name, if the connection string does not contain it.
          --expires WHEN    Expiry: +90s, +5m, +1h (default), +7d, or @EPOCH in seconds since 1970.
          --encoding NAME   Library whose encoding to use: standard (default), verbatim, dotnet, dotnet-framework,
                            servicebus-dotnet, javascript, java, ios, swift-tutorial, go, python, python-iot or
                            eventhubs-java. Use standard for new tokens. The service accepts the encodings of
                            the Notification Hubs SDKs.
          --now EPOCH       Current time, in seconds since 1970. Default: the system clock.
          --json            Print a JSON object: token, resource, keyName, expires.
          -h, --help        Show this help.

        \(keyOptions)

        EXIT STATUS:
          0  the token was printed
          2  invalid command line or setting
          3  the key file cannot be read, or the result cannot be written
        """

    static let verify = """
        OVERVIEW: Verify that a token grants access to a resource.

        USAGE: sas verify --resource URL KEY... [options] [TOKEN | -]

        Pass the token on standard input: other users of the machine can see command lines. A preceding
        "Authorization:" and a trailing newline are ignored. To accept primary and secondary keys, pass both:
        --key-name NAME --key-env PRIMARY --key-env SECONDARY.

        OPTIONS:
          --resource URL      URL of the requested resource.
          --leeway TIME       Time for which an expired token is accepted: 90s, 5m, 1h, 7d, or a number of seconds.
          --max-lifetime TIME Maximum remaining lifetime of a token, in the same format.
          --ignore-port       Accept a token for any port of the host.
          --now EPOCH         Current time, in seconds since 1970. Default: the system clock.
          --lines             Read one token per line of standard input; print one JSON object per token, in order.
          --json              Print a JSON object: valid, and either resource, keyName and expires, or reasons.
          -h, --help          Show this help.

        \(keyOptions)

        REASONS:
          malformed, unknownKey, invalidSignature, expired, lifetimeTooLong, outOfScope. With malformed, the object
          also contains problem and offset, the byte offset in the token.

        EXIT STATUS:
          0  valid; with --lines, all tokens are valid
          1  invalid; with --lines, a token is invalid or there is none
          2  invalid command line or setting, such as an ambiguous --resource
          3  standard input or the key file cannot be read, or the result cannot be written
        """

    static let inspect = """
        OVERVIEW: Explain a token: its fields, string to sign, expiry, encoding and problems. The signature is redacted.

        USAGE: sas inspect [KEY...] [options] [TOKEN | -]

        Pass the token on standard input: other users of the machine can see command lines. Keys are optional. With a
        key, inspect also checks the signature. If it does not match, inspect tries common mistakes, such as another
        spelling of the resource or a key decoded from Base64.

        OPTIONS:
          --now EPOCH       Current time, in seconds since 1970. Default: the system clock.
          --json            Print a JSON object.
          -h, --help        Show this help.

        \(keyOptions)

        EXIT STATUS:
          0  no problems: the token is well-formed and unexpired and, if a key is given, signed with it
          1  at least one problem
          2  invalid command line or setting
          3  standard input or the key file cannot be read, or the result cannot be written
        """

    static let audit = """
        OVERVIEW: Find tokens, connection strings and keys in files. Prints their locations, not the secrets.

        USAGE: sas audit [options] [FILE... | -]

        Searches files and directories; without an operand or for "-", standard input. In directories, .git and
        symbolic links are skipped. Files can have any content and size. A secret can be up to 16 KiB long, and can be
        escaped as in JSON, HTML or URLs, or be in UTF-16. Expired tokens are reported too.

        Not found: secrets in Base64, as in Kubernetes; secrets that contain line breaks; keys under other names, such
        as shared_access_key; keys that look like placeholders.

        Each line contains FILE:LINE:COLUMN, with the column in bytes; a token's resource, policy and expiry, or a
        connection string's host and policy; and a fingerprint, which is equal for equal secrets. A key's fingerprint
        is an HMAC; a token's fingerprint is the start of the SHA-256 of its signature's text.

        OPTIONS:
          --allow FINGERPRINT
                            Ignore this known secret. Repeatable.
          --now EPOCH       Current time, in seconds since 1970. Default: the system clock.
          --json            Print one JSON object per line: kind (token, connectionString or key), file, line, column,
                            fingerprint and, if known, resource or host, keyName, expires, secondsLeft, expired.
          -h, --help        Show this help.

        EXIT STATUS:
          0  nothing was found, except allowed secrets
          1  a secret was found
          2  invalid command line; nothing was done
          3  a file cannot be read, and all others were searched; or the result cannot be written
        """
}

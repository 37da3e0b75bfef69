import HubCommandLine
import SharedAccessSignature

extension SAS {
    static let tool = Tool(
        "sas",
        overview: "Sign, verify and inspect shared access signatures, the tokens of Azure Notification Hubs.",
        discussion: [
            """
            Results go to standard output, errors and warnings to standard error. With --json, a failure is a JSON object with \
            code and message on standard output. Pass keys in environment variables or files; the command line accepts no \
            key. Pass tokens on standard input.
            """
        ],
        commands: [sign, verify, inspect, audit],
        sections: [
            .init(exitStatus: [
                (.success, "valid; for audit, nothing was found"), (.failure, "invalid; for audit, a secret was found"),
                (.usage, "invalid command line or setting; nothing was done"),
                (.unreadable, "an input cannot be read, or the result cannot be written"),
            ])
        ])

    private static let sign = Command(
        "sign", summary: "Sign a token.",
        overview: "Sign a token and print it as the value of an Authorization header.",
        usage: [
            "--resource URL --key NAME=SOURCE [options]",
            "--connection-string-env VARIABLE [--hub NAME | --resource URL] [options]",
        ],
        groups: [
            .init([
                .init(
                    .resource, value: "URL",
                    help: """
                        URL that the token grants access to, with everything below it. Default: the hub in --hub or in the \
                        connection string's EntityPath; without either, the whole namespace.
                        """),
                .init(.hub, value: "NAME", help: "Hub name, if the connection string does not contain it."),
                .init(
                    .expires, value: "WHEN",
                    help: """
                        Expiry: a duration such as +90s, +1h (default), +1h30m, +7d or +2w, a time such as 2027-01-31T12:00Z, or \
                        @EPOCH in seconds since 1970.
                        """),
                .init(
                    .encoding, value: "NAME", kind: .choices(encodings),
                    help: """
                        Library whose encoding to use: \(encodings.joined(separator: ", ")). Default: \
                        standard, for new tokens. The service accepts the encodings of the Notification Hubs SDKs.
                        """),
                now,
                output,
                .init(.json, help: "Print a JSON object: token, resource, keyName, expires."),
            ]),
            key,
        ],
        sections: [
            .init(exitStatus: [
                (.success, "the token was printed"), (.usage, "invalid command line or setting"),
                (.unreadable, "the key file cannot be read, or the result cannot be written"),
            ])
        ])

    private static let verify = Command(
        "verify", summary: "Verify a token.", overview: "Verify that a token grants access to a resource.",
        usage: ["--resource URL KEY... [options] [TOKEN | -]"],
        discussion: [
            """
            Pass the token on standard input: other users of the machine can see command lines. A preceding \
            "Authorization:" and a trailing newline are ignored. To accept primary and secondary keys, pass both: \
            --key NAME=env:PRIMARY --key NAME=env:SECONDARY.
            """
        ],
        groups: [
            .init([
                .init(.resource, value: "URL", help: "URL of the requested resource."),
                .init(
                    .leeway, value: "TIME",
                    help: "Time for which an expired token is accepted: 90s, 1h30m, 7d, 2w, or a number of seconds."),
                .init(
                    .minLifetime, value: "TIME",
                    help: "Minimum remaining lifetime of a token, in the same format, to replace it in time."),
                .init(
                    .maxLifetime, value: "TIME", help: "Maximum remaining lifetime of a token, in the same format."
                ),
                .init(.ignorePort, help: "Accept a token for any port of the host."),
                now,
                .init(
                    .lines,
                    help: "Read one token per line of standard input; print one JSON object per token, in order."),
                output,
                .init(
                    .json,
                    help: """
                        Print a JSON object: valid, resource, keyName, expires, secondsLeft and fingerprint; for an invalid token also \
                        reasons and message.
                        """),
            ]),
            key,
        ],
        sections: [
            .init(
                "REASONS",
                text: """
                    malformed, unknownKey, invalidSignature, expired, lifetimeTooShort, lifetimeTooLong, outOfScope. With \
                    malformed, the object contains offset, the byte offset in the token, instead of the claims. The claims of an \
                    invalid token are not verified.
                    """),
            .init(exitStatus: [
                (.success, "valid; with --lines, all tokens are valid"),
                (.failure, "invalid; with --lines, a token is invalid or there is none"),
                (.usage, "invalid command line or setting, such as an ambiguous --resource"),
                (.unreadable, "standard input or the key file cannot be read, or the result cannot be written"),
            ]),
        ])

    private static let inspect = Command(
        "inspect", summary: "Explain a token and its problems.",
        overview:
            """
            Explain a token: its fields, string to sign, expiry, encoding and problems. Also explains shared access signatures \
            of Azure Storage. The signature is redacted.
            """,
        usage: ["[KEY...] [options] [TOKEN | -]"],
        discussion: [
            """
            Pass the token on standard input: other users of the machine can see command lines. Keys are optional. With a \
            key, inspect also checks the signature. If it does not match, inspect tries common mistakes, such as another \
            spelling of the resource or a key decoded from Base64.
            """
        ],
        groups: [
            .init([
                now,
                output,
                .init(
                    .json, help: "Print a JSON object. Its type is policyToken, iotHubToken or storageSAS."
                ),
            ]), key,
        ],
        sections: [
            .init(exitStatus: [
                (
                    .success,
                    "no problems: the token is well-formed and unexpired and, if a key is given, signed with it"
                ), (.failure, "at least one problem"), (.usage, "invalid command line or setting"),
                (.unreadable, "standard input or the key file cannot be read, or the result cannot be written"),
            ])
        ])

    private static let audit = Command(
        "audit", summary: "Find tokens, connection strings and keys in files.",
        overview: "Find tokens, connection strings and keys in files. Prints their locations, not the secrets.",
        usage: ["[options] [PATH... | -]", "[options] --staged", "[options] --git-history [REVISION...]"],
        discussion: [
            """
            Searches files and directories; for "-", standard input. Without a path, it searches the current folder on a \
            terminal, and standard input otherwise. In directories, .git, symbolic links, and untracked files that git \
            ignores are skipped.
            """,
            """
            Finds shared access keys, connection strings and tokens of Notification Hubs, Service Bus, Event Hubs, Relay and \
            IoT Hub; account keys of Azure Storage and Cosmos DB; signatures of Azure Storage; keys of Azure SignalR, Web PubSub, \
            Communication Services, App Configuration, Cache for Redis, Functions and AI services; and client secrets of Microsoft \
            Entra ID. They can be escaped as in \
            JSON, HTML, URLs or properties files. They can be in Base64 (as in Kubernetes secrets), UTF-16, UTF-32 or gzip. A key alone \
            is recognized by its name or by the text around it. Expired tokens are reported too; published keys of emulators \
            and placeholders are not.
            """,
            """
            Each line contains FILE:LINE:COLUMN, with the column in characters; a token's resource, policy and expiry, or a \
            connection string's host and policy; and a fingerprint, which is equal for equal secrets. A key's fingerprint \
            is an HMAC; a token's fingerprint is the start of the SHA-256 of its signature's text. Standard error shows a \
            summary.
            """,
            """
            A comment with the word sas:allow allows the secrets on its line.
            """,
        ], operand: .file,
        groups: [
            .init([
                .init(
                    .format, value: "NAME", kind: .choices(of: AuditFormat.self),
                    help: """
                        text (default), json, sarif (SARIF 2.1.0 for code scanning), github (annotations of GitHub Actions) or \
                        gitlab (code quality report).
                        """),
                .init(.allow, value: "FINGERPRINT", help: "Ignore this known secret. Repeatable."),
                .init(
                    .allowFile, value: "FILE",
                    help: """
                        Ignore the secrets that this file lists. A line contains a fingerprint, optionally with a pattern for files, or \
                        * and a pattern for all secrets in those files. Default: .sasallow in the current folder, if it exists. Repeatable.
                        """),
                .init(
                    .baseline, value: "FILE",
                    help: "Report new secrets only: ignore those in this output of sas audit --json."),
                .init(
                    .exclude, value: "PATTERN",
                    help: """
                        Skip matching files and directories, such as "*.lock" or "Tests/**/Fixtures", relative to the current folder or \
                        to PATH. Repeatable.
                        """),
                .init(.noIgnore, help: "Search files that git ignores, too."),
                .init(.staged, help: "Search the staged files in git's index, for a pre-commit hook."),
                .init(
                    .gitHistory,
                    help: """
                        Search what commits added: those of the given revisions, such as main..HEAD, or all. Each secret of a \
                        file is reported once, with the first commit.
                        """),
                now,
                output,
                .init(
                    .json,
                    help: """
                        The same as --format json: one JSON object per line with kind (token, connectionString, key, storageToken, \
                        accountKey, serviceKey or clientSecret), file, line, column, fingerprint and, if known, resource or host, keyName, service, expires, \
                        secondsLeft, expired, commit, authorDate.
                        """),
            ])
        ],
        sections: [
            .init(exitStatus: [
                (.success, "nothing was found, except allowed secrets"), (.failure, "a secret was found"),
                (.usage, "invalid command line or allow file; nothing was done"),
                (
                    .unreadable,
                    "a file cannot be read, and all others were searched; git failed; or the result cannot be written"
                ),
            ])
        ])

    private static let encodings = SASEncoding.allCases.map(\.rawValue)

    private static let output = CommandOption(
        .output, .briefOutput, value: "FILE",
        help: "Write the result to this file when it is complete. Only the owner can read a new file.")

    private static let now = CommandOption(
        .now, value: "TIME",
        help: "Current time, such as 2027-01-31T12:00Z, or in seconds since 1970. Default: the system clock.")

    private static let key = Command.OptionGroup(
        [
            .init(
                .key, value: "NAME=SOURCE",
                help: "Policy name and the source of its key: env:VARIABLE or file:PATH. Repeatable."),
            .init(
                .connectionStringEnv, value: "VARIABLE",
                help: "Environment variable that contains a connection string."),
            .init(.connectionStringFile, value: "PATH", help: "File that contains a connection string."),
            .init(
                .keyName, value: "NAME", help: "Policy name, followed by its key in one of the next two options."),
            .init(.keyEnv, value: "VARIABLE", help: "Environment variable that contains the key."),
            .init(.keyFile, value: "PATH", help: "File that contains the key; a trailing newline is ignored."),
        ], title: "KEY")
}

import HubCommandLine
import NotificationHubsEmulator

extension EmulatorCommand {
    static let command = Command(
        "emulator", summary: "Run a local hub for tests, with a web page that shows its deliveries.",
        overview: "Run a local hub for tests.",
        usage: [
            "[options] [--json] [--log]", "exec [options] -- COMMAND [ARGUMENTS]", "env [options]", "health [URL]",
            "ca",
        ],
        discussion: [
            """
            The hub responds as the service does and records the notification for each device. It keeps its state in memory, \
            and with --state in a file. The emulator prints the hub's connection strings, in which UseDevelopmentEmulator=true \
            selects plain HTTP. An interrupt stops the emulator, with status 0.
            """
        ],
        actions: actions,
        groups: [.init(options)],
        sections: [
            .init(
                "FAULTS, as [METHOD] PATH EFFECT [WHEN] [hub=NAME]",
                list: [
                    (
                        "PATH",
                        """
                        A path prefix below the hub, in which * matches any segment: "/", "/messages", "GET /installations/*". \
                        The first fault that triggers on a request applies.
                        """
                    ),
                    (
                        "EFFECT",
                        """
                        status=N, optionally with retry-after=TIME; stall; or reset=before or reset=after, which resets the \
                        connection before or after the request is processed. latency=TIME can be added to these or used alone.
                        """
                    ),
                    (
                        "WHEN",
                        """
                        rate=0.1, nth=1,3 (counting the requests that match the fault) or every=5. Default: every request.
                        """
                    ),
                ]), controlAPI,
            .init(
                "ENVIRONMENT",
                list: [
                    (
                        "NOTIFICATION_HUB_EMULATOR_FULL_KEY",
                        """
                        The key of DefaultFullSharedAccessSignature. Default: a fixed development key; random with --listen.
                        """
                    ),
                    (
                        "NOTIFICATION_HUB_EMULATOR_LISTEN_KEY",
                        "The key of DefaultListenSharedAccessSignature. Default: likewise."
                    ),
                    (
                        EmulatorSecrets.storageKeyName,
                        "The Base64 key of the storage account \(HubEmulator.StorageAccount.defaultName). Default: likewise."
                    ),
                    (
                        EmulatorSecrets.controlTokenName,
                        """
                        The control token for --listen. Default: random. It is printed, or passed to the command of exec.
                        """
                    ),
                ]),
            .init(
                "EXIT STATUS",
                list: [
                    ("0", "stopped by a signal"), ("1", "with health, the emulator cannot be reached"),
                    ("2", "invalid command line or setting, or the port is in use"),
                    ("3", "a file cannot be read or written, or is invalid"),
                    (
                        "other",
                        """
                        with exec, the command's status; 128 + N if signal N ended the command; 127 if the command does not exist; \
                        126 if it cannot be run
                        """
                    ),
                ]),
        ])

    private static let actions = Command.Actions(
        [
            .init(
                "exec", operand: .file,
                help: """
                    Run a command and stop the emulator when the command ends. The command's environment contains the first \
                    hub's NOTIFICATION_HUB_CONNECTION_STRING and NOTIFICATION_HUB_NAME, the AZURE_STORAGE_CONNECTION_STRING of its \
                    storage account, and with --listen also NOTIFICATION_HUB_EMULATOR_CONTROL_TOKEN. Signals are forwarded to the command, except SIGINT and SIGQUIT on \
                    a terminal, which sends them to the command itself. The exit status is the command's.
                    """),
            .init(
                "env",
                help: """
                    Print shell commands that set the environment for an emulator with the same options in another terminal: \
                    eval "$(nhub emulator env)".
                    """),
            .init(
                "health",
                help: """
                    Check that an emulator is running, such as in a container's health check. Prints nothing on success. \
                    URL is the emulator's URL. Default: port 8350 on this machine, with HTTP and then HTTPS.
                    """),
            .init(
                "ca",
                help: """
                    Print the path of the certificate that clients must trust with --tls. The certificate authority is generated \
                    at first use.
                    """),
        ], isRequired: false)

    private static let options: [CommandOption] = [
        .init(.hub, value: "NAME", help: "The name of a hub. Repeatable. Default: push."),
        .init(
            .port, value: "N",
            help: "The port; 0 selects a free port. Default: 8350, or a free port with exec."),
        .init(
            .tier, value: "TIER", kind: .choices(of: HubEmulator.Tier.self),
            help: "The hubs' pricing tier: free, basic or standard. Default: standard."),
        .init(
            .profile, value: "YEAR", kind: .choices(of: HubEmulator.Profile.self),
            help: "The form of the service's responses, as recorded in 2022 or 2024. Default: 2024."),
        .init(
            .requireCredentials,
            help: "Warn about messages for platforms without credentials. Set credentials with nhub hub update."),
        .init(
            .writeDelay, value: "D",
            help: """
                The delay before a write to an installation becomes visible, and before a job runs, such as 500ms or 2s.
                """),
        .init(
            .import, value: "[HUB=]FILE",
            help: """
                Load installations into the first hub or the named hub, at most once per hub. The file has one installation per \
                line, as for nhub import. Write a FILE that contains "=" as ./FILE.
                """),
        .init(
            .export, value: "[HUB=]FILE",
            help: """
                Save a hub's installations at exit, replacing the file, at most once per hub. If the hub's --import names the \
                same FILE, it need not exist.
                """),
        .init(
            .state, value: "FILE",
            help: """
                Load the state of all hubs at the start if FILE exists, and save it at exit: installations, registrations, \
                scheduled messages, jobs, containers, and hubs that clients created with their keys. The hubs of --hub have the \
                keys of this command line, even if FILE contains other keys. FILE contains secrets, and only its owner can read \
                it. Not with --import or --export.
                """),
        .init(
            .fault, value: "FAULT",
            help: """
                Inject a fault, such as "POST /messages status=429 retry-after=2 rate=0.1". Repeatable. See FAULTS.
                """),
        .init(.seed, value: "N", help: "The seed that selects requests for faults with a rate. Default: 1."),
        .init(
            .listen, value: "ADDRESS",
            help: """
                Listen on an address that other machines can reach, such as 0.0.0.0 in a container. Without --tls, connections \
                are not encrypted. Requests below /$emulator/ require the control token.
                """),
        .init(.tls, help: "Serve HTTPS instead of HTTP: HTTP/1.1, and HTTP/2 if libnghttp2 is installed."),
        .init(
            .host, value: "NAME",
            help: """
                Another host name of the certificate, in localhost, test, internal or servicebus.windows.net, or a loopback \
                address. The first one is used in URLs. Repeatable.
                """),
        .init(
            .behindProxy, value: "URL",
            help: """
                The URL at which clients reach a proxy in front of the emulator, such as https://hub.test.
                """),
        .init(
            .maxMemory, value: "SIZE",
            help: """
                The limit on the hubs' state, such as 512M or 4G. Above it, PUT, POST and PATCH return 403. Default: 1G, in \
                which about 400,000 ordinary installations fit.
                """),
        .init(
            .keyEnv, value: "VARIABLE",
            help: """
                An environment variable that contains the key of DefaultFullSharedAccessSignature, at most 256 printable ASCII \
                characters. Default: NOTIFICATION_HUB_EMULATOR_FULL_KEY.
                """),
        .init(.keyFile, value: "FILE", help: "A file that contains that key; not with --key-env."),
        .init(.json, help: "Print the hubs and their connection strings as a JSON object."),
        .init(
            .log,
            help: "Print one line for each request to a hub and for each delivery; with --json, a JSON object."),
    ]

    private static let controlAPI = Command.Section(
        "CONTROL API, below /$emulator/ (with several hubs, add hub=NAME)",
        list: [
            ("GET", "a web page"),
            (
                "GET deliveries?after=N&installation=ID&notification=ID&tag=TAG&wait=SECONDS",
                "the delivered notifications as JSON"
            ), ("GET deliveries/N.apns", "one notification as a file for xcrun simctl push"),
            (
                "GET requests?after=N&wait=SECONDS",
                "the latest requests to hubs as JSON; see also nhub watch"
            ),
            (
                "GET installations, registrations, scheduled, connection, hubs, warnings?after=N, faults, health",
                "the hub's state as JSON"
            ),
            ("PUT faults", #"{"seed": 1, "faults": ["POST /messages status=503 nth=1"]}"#),
            ("GET, PUT snapshot", "save or replace the state of all hubs, with their keys; PUT accepts at most 1 MiB"),
            ("POST reset", #"remove everything from a hub: {"hub": "push"}, or {} for all hubs"#),
            ("POST send", #"{"format": "template", "body": "{…}", "tag": "news"}"#),
            ("POST containers", #"create a blob container for jobs: {"name": "jobs"}"#),
            ("POST expire", #"make a platform reject a device: {"platform": "apns", "handle": "00FC…"}"#),
            ("PUT, POST", "require Content-Type: application/json"),
        ])
}

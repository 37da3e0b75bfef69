import HubCommandLine

/// `nhub emulator`: serves emulated hubs until a signal stops it, or while a command runs.
enum EmulatorCommand: Subcommand {
    static let name = "emulator"
    static let summary =
        "Run a local hub for tests, with a web page that shows its deliveries."

    static func run(_ arguments: consuming Arguments) async throws -> ExitStatus {
        var arguments = arguments
        switch arguments.subcommand() {
        case nil:
            let options = try EmulatorOptions(&arguments, defaultPort: 8350)
            let asJSON = arguments.flag("--json")
            let logs = arguments.flag("--log")
            try arguments.finish()
            return try await serve(options, asJSON: asJSON, logs: logs)
        case "exec":
            let options = try EmulatorOptions(&arguments, defaultPort: 0)
            let operands = try arguments.operands()
            // Swift repairs invalid UTF-8 in argument strings, so the command gets the raw bytes.
            let words = Environment.argumentsAfterDashes
            let command = operands.dropLast(words.count).map { Array($0.utf8) } + words
            if command.isEmpty { throw UsageError("missing command (see nhub emulator --help)") }
            return try await execute(command, options)
        case "ca":
            try arguments.finish()
            try Console.result([try LocalAuthority().certificatePath])
            return .success
        case "env":
            let options = try EmulatorOptions(&arguments, defaultPort: 8350)
            try arguments.finish()
            try Console.result(try EmulatorEnvironment(options).lines)
            return .success
        case let word?:
            throw UsageError("unexpected argument: \(Arguments.quoted(word)) (see nhub emulator --help)")
        }
    }

    private static func serve(
        _ options: EmulatorOptions, asJSON: Bool, logs: Bool
    ) async throws -> ExitStatus {
        // Signal handlers are installed first, so that a stop right after the start still writes the exports.
        _ = try await Interrupt.cancelling {
            let log = { @Sendable (event: EmulatorEvent) in Console.output(event.text(asJSON: asJSON)) }
            let session = try EmulatorSession(options, log: logs ? log : nil)
            try EmulatorReport(session).write(asJSON: asJSON)
            // Cancellation is the normal way to stop.
            do { try await session.runPeriodicWork() } catch is CancellationError {}
            try session.stop()
        }
        return .success
    }

    private static func execute(_ command: [[UInt8]], _ options: EmulatorOptions) async throws -> ExitStatus {
        let session = try EmulatorSession(options)
        let status = try await EmulatorExec(session).run(command)
        try session.stop()
        return status
    }
}

extension EmulatorCommand {
    static let help = """
        OVERVIEW: Run a local hub for tests.

        The hub responds as the service does and records the notification for each device. It keeps its state in memory, and
        with --state in a file. The emulator prints the hub's connection strings, in which UseDevelopmentEmulator=true selects
        plain HTTP. An interrupt stops the emulator, with status 0.

        USAGE: nhub emulator [options] [--json] [--log]
               nhub emulator exec [options] -- COMMAND [ARGUMENTS]
               nhub emulator env [options]
               nhub emulator ca

        exec runs a command and stops the emulator when the command ends. The command's environment contains the first hub's
        NOTIFICATION_HUB_CONNECTION_STRING and NOTIFICATION_HUB_NAME, and with --listen also
        NOTIFICATION_HUB_EMULATOR_CONTROL_TOKEN. Signals are forwarded to the command, except SIGINT and SIGQUIT on a
        terminal, which sends them to the command itself. The exit status is the command's.

        env prints shell commands that set the environment for an emulator with the same options in another terminal:
        eval "$(nhub emulator env)". ca prints the path of the certificate that clients must trust with --tls. The certificate
        authority is generated at first use.

        OPTIONS:
          --hub NAME         The name of a hub. Repeatable. Default: push.
          --port N           The port; 0 selects a free port. Default: 8350, or a free port with exec.
          --tier TIER        The hubs' pricing tier: free, basic or standard. Default: standard.
          --profile YEAR     The form of the service's responses, as recorded in 2022 or 2024. Default: 2024.
          --write-delay D    The delay before a write to an installation becomes visible, and before a job runs, such as
                             500ms or 2s.
          --import FILE, --import HUB=FILE
                             Load installations into the first hub or the named hub, at most once per hub. The file has one
                             installation per line, as for nhub import. Write a FILE that contains "=" as ./FILE.
          --export FILE, --export HUB=FILE
                             Save a hub's installations at exit, replacing the file, at most once per hub. If the hub's
                             --import names the same FILE, it need not exist.
          --state FILE       Load the state of all hubs at the start if FILE exists, and save it at exit: installations,
                             registrations, scheduled messages, jobs, containers, and hubs that clients created with their
                             keys. The hubs of --hub have the keys of this command line, even if FILE contains other keys. FILE
                             contains secrets, and only its owner can read it. Not with --import or --export.
          --fault FAULT      Inject a fault, such as "POST /messages status=429 retry-after=2 rate=0.1". Repeatable. See
                             FAULTS.
          --seed N           The seed that selects requests for faults with a rate. Default: 1.
          --listen ADDRESS   Listen on an address that other machines can reach, such as 0.0.0.0 in a container. Without
                             --tls, connections are not encrypted. Requests below /$emulator/ require the control token.
          --tls              Serve HTTPS instead of HTTP: HTTP/1.1, and HTTP/2 if libnghttp2 is installed.
          --host NAME        Another host name of the certificate, in localhost, test, internal or servicebus.windows.net, or
                             a loopback address. The first one is used in URLs. Repeatable.
          --behind-proxy URL
                             The URL at which clients reach a proxy in front of the emulator, such as https://hub.test.
          --max-memory SIZE  The limit on the hubs' state, such as 512M or 4G. Above it, PUT, POST and PATCH return 403.
                             Default: 1G, in which about 400,000 ordinary installations fit.
          --key KEY          The key of DefaultFullSharedAccessSignature, at most 256 printable ASCII characters.
          --json             Print the hubs and their connection strings as a JSON object.
          --log              Print one line for each request to a hub and for each delivery; with --json, a JSON object.
          -h, --help         Show this help.

        FAULTS: [METHOD] PATH EFFECT [WHEN] [hub=NAME]
          PATH is a path prefix below the hub, in which * matches any segment: "/", "/messages", "GET /installations/*".
          The first fault that triggers on a request applies.
          EFFECT is status=N, optionally with retry-after=TIME; stall; or reset=before or reset=after, which resets the
          connection before or after the request is processed. latency=TIME can be added to these or used alone.
          WHEN is rate=0.1, nth=1,3 (counting the requests that match the fault) or every=5. Default: every request.

        CONTROL API, below /$emulator/ (with several hubs, add hub=NAME):
          GET                         a web page
          GET deliveries?after=N&installation=ID&notification=ID&tag=TAG&wait=SECONDS
                                      the delivered notifications as JSON
          GET deliveries/N.apns       one notification as a file for xcrun simctl push
          GET requests?after=N&wait=SECONDS
                                      the latest requests to hubs as JSON; see also nhub watch
          GET installations, registrations, hubs, warnings?after=N, faults, health
          PUT faults                  {"seed": 1, "faults": ["POST /messages status=503 nth=1"]}
          GET, PUT snapshot           save or replace the state of all hubs, with their keys; PUT accepts at most 1 MB
          POST reset                  remove everything from a hub: {"hub": "push"}, or {} for all hubs
          POST send                   {"format": "template", "body": "{…}", "tag": "news"}
          POST containers             create a blob container for jobs: {"name": "jobs"}
          POST expire                 make a platform reject a device: {"platform": "apns", "handle": "00FC…"}
          PUT and POST require Content-Type: application/json.

        ENVIRONMENT:
          NOTIFICATION_HUB_EMULATOR_FULL_KEY        The key of DefaultFullSharedAccessSignature. Default: a fixed
                                                    development key; random with --listen.
          NOTIFICATION_HUB_EMULATOR_LISTEN_KEY      The key of DefaultListenSharedAccessSignature. Default:
                                                    likewise.
          NOTIFICATION_HUB_EMULATOR_CONTROL_TOKEN   The control token for --listen. Default: random. It is printed, or
                                                    passed to the command of exec.

        EXIT STATUS:
          0  stopped by a signal
          2  invalid command line or setting, or the port is in use
          3  a file cannot be read or written, or is invalid
          Otherwise, with exec, the command's status; 128 + N if signal N ended the command; 127 if the command does not
          exist; 126 if it cannot be run.
        """
}

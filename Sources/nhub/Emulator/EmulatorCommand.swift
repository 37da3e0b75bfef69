import HubCommandLine

/// `nhub emulator`: serves emulated hubs until it is told to stop, or as long as a command runs.
enum EmulatorCommand: Subcommand {
    static let name = "emulator"
    static let summary =
        "Serve a hub on this machine, for programs under test, with a page that shows what it delivers."

    static func run(_ arguments: consuming Arguments) async throws -> ExitStatus {
        var arguments = arguments
        switch arguments.subcommand() {
        case nil:
            let options = try EmulatorOptions(&arguments, defaultPort: 8350)
            let asJSON = arguments.flag("--json")
            try arguments.finish()
            return try await serve(options, asJSON: asJSON)
        case "exec":
            let options = try EmulatorOptions(&arguments, defaultPort: 0)
            let operands = try arguments.operands()
            // The texts of words that are none have lost something.
            let words = Environment.argumentsAfterDashes
            let command = operands.dropLast(words.count).map { Array($0.utf8) } + words
            if command.isEmpty { throw UsageError("the command to run is missing; see nhub emulator --help") }
            return try await execute(command, options)
        case let word?:
            throw UsageError("nhub emulator does not know \(Arguments.quoted(word)); see nhub emulator --help")
        }
    }

    private static func serve(_ options: EmulatorOptions, asJSON: Bool) async throws -> ExitStatus {
        // Signals first: who sees that it serves may stop it at once, and what is to be kept is written all the same.
        _ = try await Interrupt.cancelling {
            let session = try EmulatorSession(options)
            EmulatorReport(session).write(asJSON: asJSON)
            // To be told to stop is how it ends well.
            do { try await session.keepUp() } catch is CancellationError {}
            try session.end()
        }
        return .success
    }

    private static func execute(_ command: [[UInt8]], _ options: EmulatorOptions) async throws -> ExitStatus {
        let session = try EmulatorSession(options)
        let status = try await EmulatorExec(session).run(command)
        try session.end()
        return status
    }
}

extension EmulatorCommand {
    static let help = """
        OVERVIEW: Serve a hub on this machine, for programs under test.

        The hub answers as the service does, and keeps what each device would have been shown. It lives in memory. Its
        connection strings are printed for you to paste; UseDevelopmentEmulator=true in them asks for plain HTTP. An interrupt
        ends it, with status 0.

        USAGE: nhub emulator [options] [--json]
               nhub emulator exec [options] -- COMMAND [ARGUMENTS]

        With exec, the emulator runs as long as the command does, which finds it by the two environment variables of
        nhub: NOTIFICATION_HUB_CONNECTION_STRING and NOTIFICATION_HUB_NAME, those of the first hub; with --listen, also
        NOTIFICATION_HUB_EMULATOR_CONTROL_TOKEN. Signals are passed on, but at a terminal not SIGINT and SIGQUIT, whose keys
        reach the command by themselves. The status is the command's.

        OPTIONS:
          --hub NAME         A hub's name; may be there more than once. Without it, "push".
          --port N           The port; 8350 without it, for exec any that is free. 0 lets the system choose.
          --tier TIER        free, basic or standard: what the hubs can do. Without it, standard.
          --write-delay D    How long a write to an installation is queued before it shows, such as 500ms or 2s.
          --import FILE, --import HUB=FILE
                             Installations to begin with, one a line, as of nhub import: for the first hub, or for the one
                             that is named; once a hub. A FILE with an equals sign is written as ./FILE.
          --export FILE, --export HUB=FILE
                             Where a hub's installations go at the end, in place of what is there; likewise. The same FILE as
                             of the hub's --import need not be there yet.
          --fault FAULT      What is to go wrong, such as "POST /messages status=429 retry-after=2 rate=0.1"; may be there
                             more than once, see below.
          --seed N           Which requests faults with a rate trigger on: the same seed, the same ones. Without it, 1.
          --listen ADDRESS   Listen on an address that is not this machine's alone, such as 0.0.0.0 in a container. All goes
                             over the wire without TLS. Below /$emulator/, a control token is asked for.
          --json             One JSON object a line.
          -h, --help         Show this help.

        FAULTS: [METHOD] PATH WHAT [WHEN] [hub=NAME]
          PATH stands below the hub, and means all that begins with it; * is any segment: "/", "/messages",
          "GET /installations/*". The first fault that triggers on a request applies.
          WHAT is status=N, with retry-after=TIME perhaps; stall; reset=before or reset=after, the connection being reset
          before or after the request is carried out. latency=TIME stands beside these, or alone.
          WHEN is rate=0.1, nth=1,3 (of the requests that the fault is for) or every=5; always, if it is missing.

        BELOW /$emulator/:
          a page for people; and for programs, with hub=NAME where there are several:
          GET deliveries?after=N&installation=ID&notification=ID&tag=TAG&wait=SECONDS
                                      what devices have got, as JSON
          GET deliveries/N.apns       one as a file for xcrun simctl push
          GET installations, hubs, warnings?after=N, faults, health
          PUT faults                  {"seed": 1, "faults": ["POST /messages status=503 nth=1"]}
          POST reset                  forget installations and deliveries: {"hub": "push"}, or {} for all hubs
          POST send                   {"format": "template", "body": "{…}", "tag": "news"}
          What changes something wants Content-Type: application/json.

        ENVIRONMENT:
          NOTIFICATION_HUB_EMULATOR_FULL_KEY        The key of DefaultFullSharedAccessSignature; random without it.
          NOTIFICATION_HUB_EMULATOR_LISTEN_KEY      The key of DefaultListenSharedAccessSignature; random without it.
          NOTIFICATION_HUB_EMULATOR_CONTROL_TOKEN   The control token, for --listen; random without it; printed, or
                                                    handed to the command of exec.

        EXIT STATUS:
          0  it was told to stop, and did
          2  the command line or a setting is wrong, or the port is in use
          3  a file cannot be read or written
          With exec: the command's; 128 + N if signal N ended it; 127 if there is no such command, 126 if it cannot be run.
        """
}

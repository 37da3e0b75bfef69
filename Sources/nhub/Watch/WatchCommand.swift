import HubCommandLine
import NotificationHubs

/// `nhub watch`: prints the events of a running emulator until a signal stops it.
enum WatchCommand: Subcommand {
    static let command = Command(
        "watch", summary: "Follow the requests, deliveries and warnings of a running emulator.",
        usage: ["[URL] [--hub NAME] [--all] [--json]"],
        discussion: [
            """
            Prints one line for each request to a hub, including those to unknown hubs, for each delivery and for each \
            warning, as nhub emulator --log does. Prints only new events. An interrupt stops it, with status 0.
            """,
            """
            The emulator records the latest 1000 requests and warnings, and 100,000 deliveries. If it drops any before they \
            are read, one line states how many are missing.
            """,
            "URL is the emulator's URL or that of its page. Default: http://127.0.0.1:8350/.",
        ],
        groups: [
            .init([
                .init(
                    .hub, value: "NAME", help: "Print only the events of this hub. Repeatable. Default: all hubs."),
                .init(.all, help: "First print the recorded events."),
                .init(.json, help: "Print a JSON object for each line."),
                .init(
                    .caFile, value: "FILE",
                    help: """
                        Also trust the certificate authorities in this PEM file. Default, for an https URL: the file in \
                        NOTIFICATION_HUB_EMULATOR_CA_FILE, or the certificate of nhub emulator --tls.
                        """),
            ])
        ],
        sections: [
            .init(
                "ENVIRONMENT",
                list: [
                    ("NOTIFICATION_HUB_EMULATOR_CONTROL_TOKEN", "The control token of an emulator with --listen."),
                    ("NOTIFICATION_HUB_EMULATOR_CA_FILE", "See --ca-file; nhub emulator env --tls sets it."),
                ]),
            .init(exitStatus: [
                (.success, "stopped by a signal"),
                (.failure, "the emulator cannot be reached, has stopped, or rejects the control token"),
                (.usage, "invalid command line or setting"), (.unreadable, "the output cannot be written"),
            ]),
        ])

    static func run(_ arguments: consuming Arguments) async throws -> ExitStatus {
        var arguments = arguments
        let caFile = try arguments.value(of: .caFile)
        let hubs = try arguments.values(of: .hub).map { hub in
            try UsageError.parsing(.hub) { try NotificationHub.Name(validating: hub.value) }
        }
        let asJSON = arguments.flag(.json)
        let printsRecorded = arguments.flag(.all)
        let operands = try arguments.operands()
        if operands.count > 1 { throw UsageError("unexpected argument: \(Arguments.quoted(operands[1]))") }
        let client = try ControlClient(url: operands.first ?? "http://127.0.0.1:8350/", caFile: caFile)
        _ = try await Interrupt.cancelling {
            var watch = EmulatorWatch(client, hubs: hubs)
            try await watch.start(withRecorded: printsRecorded)
            while true {
                let (events, hasMore) = try await watch.next()
                try Console.result(events.map { $0.text(asJSON: asJSON) })
                if !hasMore { try await Task.sleep(for: .milliseconds(250)) }
            }
        }
        return .success
    }
}

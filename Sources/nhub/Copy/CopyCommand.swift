import HubCommandLine
import NotificationHubs

/// `nhub copy`: copies the devices of a hub to another hub.
enum CopyCommand: Subcommand {
    static let command = Command(
        "copy", summary: "Copy all installations and registrations to another hub.",
        usage: [
            "--to PROFILE [FILTERS] [--dry-run] [--yes] [--journal FILE] [--concurrency N] [--json]",
            """
            (--to-connection-string-env VARIABLE | --to-connection-string-file FILE) --to-hub NAME [FILTERS] [--dry-run] [--yes] [--journal FILE] \
            [--concurrency N] [--json]
            """,
        ],
        discussion: [
            """
            The command puts each installation into the other hub, where it replaces the one with the same ID, and creates each \
            registration that the other hub lacks, with a new ID. Devices that only the other hub has stay. Platform \
            credentials are not copied.
            """,
            """
            To resume an interrupted copy, run the same command again. It continues after the last page that the journal \
            records. Run it again later to copy what has changed.
            """,
        ],
        groups: [
            .init(
                [
                    .init("--to", value: "PROFILE", help: "The profile of the other hub. See nhub profiles."),
                    .init(
                        "--to-connection-string-env", value: "VARIABLE",
                        help: "An environment variable with the other hub's connection string."),
                    .init(
                        "--to-connection-string-file", value: "FILE",
                        help: "A file with the other hub's connection string."),
                    .init("--to-hub", value: "NAME", help: "The other hub's name."),
                ], title: "OTHER HUB"), .deviceFilter,
            .changes([
                .init(
                    "--journal", value: "FILE",
                    help: "The journal, which records the position. Default: nhub-copy.journal.")
            ]), .connection,
        ],
        sections: [
            .environment,
            .init(
                exitStatus: [
                    (.success, "all devices were copied"),
                    (
                        .failure,
                        "some devices failed, the command was not confirmed, or a hub cannot be reached"
                    ), (.usage, "invalid command line or setting; nothing was done"),
                    (.unreadable, "the journal cannot be read or written"),
                ], signal: ""),
        ])

    static func run(_ arguments: consuming Arguments) async throws -> ExitStatus {
        let connection = try arguments.connection()
        let target = try ConnectionOptions(target: &arguments)
        let filter = try DeviceFilter(&arguments)
        let journal = try arguments.value(of: "--journal") ?? "nhub-copy.journal"
        let options = try DeviceChangeOptions(&arguments)
        try arguments.finish()
        let source = try connection.settings().bulkHub(concurrency: options.concurrency)
        let other = try target.settings().bulkHub(concurrency: options.concurrency)
        guard source.address != other.address else { throw UsageError("the two hubs are the same") }
        guard try options.confirm("Copy devices of the hub \(source.address) to \(other.address)?") else {
            return .failure
        }
        return try await Interrupt.exitStatus {
            try await copy(from: source, to: other, filter, journal, options)
        }
    }

    private static func copy(
        from source: NotificationHub, to other: NotificationHub, _ filter: DeviceFilter, _ journal: String,
        _ options: DeviceChangeOptions
    ) async throws -> ExitStatus {
        var subject = JSONOutput()
        subject.add("nhubCopy", 1)
        subject.add("from", source.address)
        subject.add("to", other.address)
        subject.add("filter", filter.text)
        let checkpoint = options.isDryRun ? nil : try Checkpoint(path: journal, of: subject)
        var changes = DeviceChanges("copied", options, changedCount: checkpoint?.initial?["copied"]?.int ?? 0)
        let pages = filter.pages(
            of: source, concurrency: options.concurrency, resumingAt: checkpoint?.initial?.continuationToken)
        for try await page in pages {
            try await changes.apply(to: page.records, name: \.name) { record in
                if options.isDryRun { return .changed }
                switch record {
                case .installation(let installation): try await other.putInstallation(installation)
                case .registration(let entry):
                    guard try await other.createRegistrationIfMissing(entry.registration) else { return .unchanged }
                }
                return .changed
            }
            if let checkpoint, checkpoint.isDue, let token = page.continuationToken {
                var state = JSONOutput()
                state.add("copied", Int64(changes.changedCount))
                state.add("token", token.rawValue)
                try checkpoint.record(state)
            }
        }
        checkpoint?.remove()
        return try changes.finish()
    }
}

extension NotificationHub {
    /// The hub's URL, for comparisons and messages.
    fileprivate var address: String { "\(endpoint)/\(name)".lowercased() }
}

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
            The command puts each installation into the other hub. It replaces an installation with the same ID, even a newer one. \
            It creates each missing registration with a new ID. If the other hub has a registration with the same handle and template \
            name, and this hub has no equal one, the command replaces it instead. A registration with unknown elements is \
            skipped and reported. Devices that only the other hub has are kept. Platform credentials are not copied. Requires \
            the Manage right.
            """,
            """
            To resume an interrupted copy, run the same command again. It continues after the last page that the journal \
            records. Run it again later to copy what has changed. If a copy to a real hub is interrupted and run again, registrations \
            created just before the interruption can exist twice; nhub dedupe finds them.
            """,
        ],
        groups: [
            .init(
                [
                    .init(.to, value: "PROFILE", help: "The profile of the other hub. See nhub profiles."),
                    .init(
                        .toConnectionStringEnv, value: "VARIABLE",
                        help: "An environment variable with the other hub's connection string."),
                    .init(
                        .toConnectionStringFile, value: "FILE",
                        help: "A file with the other hub's connection string."),
                    .init(.toHub, value: "NAME", help: "The other hub's name."),
                ], title: "OTHER HUB"), .deviceFilter,
            .changes([
                .init(
                    .journal, value: "FILE",
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
                        "some devices failed or were skipped, the command was not confirmed, or a hub cannot be reached"
                    ), (.usage, "invalid command line or setting; nothing was done"),
                    (.unreadable, "the journal cannot be read or written"),
                ], signal: ""),
        ])

    static func run(_ arguments: consuming Arguments) async throws -> ExitStatus {
        let connection = try arguments.connection()
        let target = try ConnectionOptions(target: &arguments)
        let filter = try DeviceFilter(&arguments)
        let journal = try arguments.value(of: .journal) ?? "nhub-copy.journal"
        let options = try DeviceChangeOptions(&arguments)
        try arguments.finish()
        try options.checkConfirmation()
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
        let initial = checkpoint?.initial ?? JSONObject()
        var changes = DeviceChanges("copied", options, counts: .init(initial))
        var installations: Set<Installation.ID> = []
        var isFirstPage = initial.continuationToken != nil
        do {
            for try await page in source.registrations(filter.selection, resumingAt: initial.continuationToken).pages {
                isFirstPage = false
                try changes.recordOmissions(unknownKinds: page.unknownKinds, errors: page.errors)
                // Registrations of one device are copied one after the other, because each looks for those of the other hub.
                let devices = page.entries.filter { entry in
                    filter.includes(entry) && (entry.installationID.map { installations.insert($0).inserted } ?? true)
                }
                let groups = Dictionary(grouping: devices) { entry in
                    entry.installationID.map { "installation \($0)" } ?? entry.registration.pushChannel.stored.handle
                }
                try await changes.apply(toGroups: groups.values, name: \.deviceID.name) { entry in
                    if entry.installationID == nil, let problem = entry.copyProblem { return .skipped(problem) }
                    if options.isDryRun { return .changed }
                    return try await copy(entry, from: source, to: other)
                }
                if let checkpoint, checkpoint.isDue, let token = page.continuationToken {
                    var state = JSONOutput()
                    changes.counts.add(to: &state)
                    state.add("token", token.rawValue)
                    try checkpoint.record(state)
                }
            }
        } catch let error as HubError {
            throw Checkpoint.ResumeError(error, isFirstPage: isFirstPage, files: journal) ?? error
        }
        checkpoint?.remove()
        return try changes.finish()
    }

    /// Copies a registration, or the installation that it belongs to.
    private static func copy(
        _ entry: Registration.Entry, from source: NotificationHub, to other: NotificationHub
    ) async throws -> DeviceChanges.Outcome {
        if let id = entry.installationID {
            guard let installation = try await source.installationIfExists(id) else { return .unchanged }
            try await other.putInstallation(installation, enforcesLimits: false)
            return .changed(warnings: installation.warnings)
        }
        var originals: [Registration]?
        let result = try await other.writeRegistration(
            entry.registration, newID: { try await other.createRegistrationID() }
        ) { candidate in
            guard candidate.registration.hasSameRole(as: entry.registration) else { return false }
            let known: [Registration]
            if let originals {
                known = originals
            } else {
                known = try await source.plainRegistrations(of: entry.registration.pushChannel)
                    .map(\.registration.normalized)
                originals = known
            }
            return !known.contains(candidate.registration.normalized)
        }
        return switch result {
        case .written: .changed(warnings: entry.registration.warnings)
        case .unchanged: .unchanged
        case .ambiguous: .skipped("the other hub has several other registrations with this handle and template")
        }
    }
}

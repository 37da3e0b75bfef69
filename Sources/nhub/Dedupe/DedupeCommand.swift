import HubCommandLine
import NotificationHubs

/// `nhub dedupe`: deletes installations that share a device.
enum DedupeCommand: Subcommand {
    static let command = Command(
        "dedupe", summary: "Delete duplicate installations of a device, such as those of a reinstalled app.",
        usage: [
            "--keep newest-expiry [--dry-run] [--yes] [--concurrency N] [--json]",
            "--keep id-file FILE [--dry-run] [--yes] [--concurrency N] [--json]",
        ],
        discussion: [
            """
            Two installations are duplicates if they have the same platform and handle: the device then receives each \
            message twice. The service does not report when an installation was last used, so the command never guesses which one to \
            keep. If the rule does not select exactly one installation, it skips and reports them all.
            """,
            """
            Registrations that do not belong to an installation are duplicates if they have the same handle and template. \
            Only --keep newest-expiry deletes them. If an installation and a registration without a template have the same \
            handle, the command reports them and deletes neither. Before a deletion, it reads the duplicates again and checks that \
            they still are duplicates. To resume an interrupted command, run it again. Requires the Manage right.
            """,
        ],
        operand: .file,
        groups: [
            .changes([
                .init(
                    .keep, value: "RULE",
                    help: """
                        newest-expiry keeps the device with the latest expiration time, where "never" is the latest; id-file \
                        keeps the installations with the IDs in FILE, such as a list from the app's database.
                        """)
            ]), .connection,
        ],
        sections: [
            .environment,
            .init(
                exitStatus: [
                    (.success, "no duplicates remain"),
                    (
                        .failure,
                        "some duplicates were skipped or failed, the command was not confirmed, or the hub cannot be reached"
                    ), (.usage, "invalid command line or setting; nothing was done"),
                    (.unreadable, "the file cannot be read or is invalid, and nothing was deleted"),
                ], signal: ""),
        ])

    static func run(_ arguments: consuming Arguments) async throws -> ExitStatus {
        let connection = try arguments.connection()
        let keep = try arguments.value(of: .keep)
        let options = try DeviceChangeOptions(&arguments)
        let operands = try arguments.operands()
        let rule: DuplicateRule
        switch (keep, operands.count) {
        case ("newest-expiry", 0): rule = .newestExpiry
        case ("id-file", 1):
            rule = .ids(Set(try IDFile(operands[0], member: .installationId).ids(Installation.ID.init)))
        case ("id-file", 0): throw UsageError("missing file: --keep id-file FILE")
        case ("newest-expiry", _), ("id-file", _):
            throw UsageError("unexpected argument: \(Arguments.quoted(operands[0]))")
        case (nil, _): throw UsageError("missing --keep newest-expiry or --keep id-file FILE")
        default: throw UsageError("--keep: expected newest-expiry or id-file")
        }
        try options.checkConfirmation()
        let hub = try connection.settings().bulkHub(concurrency: options.concurrency)
        return try await Interrupt.exitStatus { try await dedupe(hub, rule, options) }
    }

    private static func dedupe(
        _ hub: NotificationHub, _ rule: DuplicateRule, _ options: DeviceChangeOptions
    ) async throws -> ExitStatus {
        var found = DuplicateSearch()
        var changes = DeviceChanges("deleted", options)
        var progress = ListingProgress("registrations")
        defer { progress.end() }
        for try await page in hub.registrations().pages {
            for entry in page.entries { found.add(entry) }
            try changes.recordOmissions(unknownKinds: page.unknownKinds, errors: page.errors)
            progress.add(page.entries.count)
        }
        progress.end()
        let groups = found.groups
        guard
            try groups.isEmpty
                || options.confirm("Delete duplicates of \(groups.count) devices of the hub \(hub.name)?")
        else { return .failure }
        try await changes.apply(to: groups) { group in
            var duplicates: [DeviceRecord] = []
            var reports: [DeviceChanges.Report] = []
            for reference in group {
                let report = try await DeviceChanges.report(reference.name) {
                    if let record = try await hub.record(reference) { duplicates.append(record) }
                    return .unchanged
                }
                if case .failed = report.outcome { reports.append(report) }
            }
            // The devices may have changed since they were listed.
            let devices = Dictionary(grouping: duplicates, by: DuplicateSearch.identity)
            for same in devices.values.sorted(by: { $0[0].name < $1[0].name }) where same.count > 1 {
                reports += try await resolve(same, rule, isDryRun: options.isDryRun, in: hub)
            }
            return reports
        }
        for channel in found.mixedChannels { try await reportMixed(channel, &changes, in: hub) }
        return try changes.finish()
    }

    /// Reports a registration without a template if an installation has the same handle.
    private static func reportMixed(
        _ channel: PushChannel, _ changes: inout DeviceChanges, in hub: NotificationHub
    ) async throws {
        var installation: Installation.ID?
        var registration: Registration.ID?
        for try await entry in hub.registrations(.pushChannel(channel))
        where entry.registration.pushChannel.platform == channel.platform && entry.registration.template == nil {
            if let id = entry.installationID { installation = id } else { registration = entry.id }
        }
        guard let installation, let registration else { return }
        try changes.record(
            .skipped("installation \(installation) has the same handle"), of: "registration \(registration)")
    }

    /// Deletes the duplicates of a device that are not kept.
    private static func resolve(
        _ duplicates: [DeviceRecord], _ rule: DuplicateRule, isDryRun: Bool, in hub: NotificationHub
    ) async throws -> [DeviceChanges.Report] {
        guard let kept = rule.kept(of: duplicates) else {
            return duplicates.map {
                .init(name: $0.name, outcome: .skipped("\(duplicates.count) with the same handle; \(rule.reason)"))
            }
        }
        var reports: [DeviceChanges.Report] = []
        for duplicate in duplicates where duplicate.id != kept.id {
            reports.append(
                try await DeviceChanges.report(duplicate.name) {
                    if isDryRun { return .changed }
                    switch duplicate {
                    case .installation(let installation): try await hub.deleteInstallation(installation.id)
                    case .registration(let entry):
                        try await hub.deleteRegistration(entry.id, ifMatch: entry.entityTag)
                    }
                    return .changed
                })
        }
        return reports
    }
}

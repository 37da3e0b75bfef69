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
            Only --keep newest-expiry deletes them. Before it deletes a device, the command reads the one to keep again and checks \
            that it has the same handle. To resume an interrupted command, run it again.
            """,
        ],
        operand: .file,
        groups: [
            .changes([
                .init(
                    "--keep", value: "RULE",
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
        let keep = try arguments.value(of: "--keep")
        let options = try DeviceChangeOptions(&arguments)
        let operands = try arguments.operands()
        let rule: DuplicateRule
        switch (keep, operands.count) {
        case ("newest-expiry", 0): rule = .newestExpiry
        case ("id-file", 1):
            rule = .ids(Set(try IDFile(operands[0], member: "installationId").ids(Installation.ID.init)))
        case ("id-file", 0): throw UsageError("missing file: --keep id-file FILE")
        case ("newest-expiry", _), ("id-file", _):
            throw UsageError("unexpected argument: \(Arguments.quoted(operands[0]))")
        case (nil, _): throw UsageError("missing --keep newest-expiry or --keep id-file FILE")
        default: throw UsageError("--keep: expected newest-expiry or id-file")
        }
        let hub = try connection.settings().bulkHub(concurrency: options.concurrency)
        return try await Interrupt.exitStatus { try await dedupe(hub, rule, options) }
    }

    private static func dedupe(
        _ hub: NotificationHub, _ rule: DuplicateRule, _ options: DeviceChangeOptions
    ) async throws -> ExitStatus {
        var found = DuplicateSearch()
        for try await entry in hub.registrations() { found.add(entry) }
        let (installations, registrations) = found.groups
        let count = installations.count + registrations.count
        guard try count == 0 || options.confirm("Delete duplicates of \(count) devices of the hub \(hub.name)?") else {
            return .failure
        }
        var changes = DeviceChanges("deleted", options)
        // One group after the other, so that the reports of a device stay together.
        for ids in installations {
            let duplicates = try await hub.existingInstallations(ids, concurrency: options.concurrency)
                .map { DeviceRecord.installation($0) }
            try await resolve(duplicates, rule, &changes, in: hub)
        }
        for ids in registrations {
            var duplicates: [DeviceRecord] = []
            for id in ids where try await hub.registrationExists(id) {
                duplicates.append(.registration(try await hub.registration(id)))
            }
            try await resolve(duplicates, rule, &changes, in: hub)
        }
        return try changes.finish()
    }

    /// Deletes the duplicates of a device that are not kept.
    private static func resolve(
        _ duplicates: [DeviceRecord], _ rule: DuplicateRule, _ changes: inout DeviceChanges, in hub: NotificationHub
    ) async throws {
        // The devices were just read again, and may have changed since they were listed.
        guard let first = duplicates.first else { return }
        let same = duplicates.filter { $0.pushChannel.isSameDevice(as: first.pushChannel) }
        guard same.count > 1 else { return }
        guard let kept = rule.kept(of: same) else {
            for duplicate in same {
                try changes.record(.skipped("\(same.count) with the same handle; \(rule.reason)"), of: duplicate.name)
            }
            return
        }
        let isDryRun = changes.isDryRun
        try await changes.apply(to: same.filter { $0.id != kept.id }, name: \.name) { duplicate in
            if !isDryRun {
                switch duplicate {
                case .installation(let installation): try await hub.deleteInstallation(installation.id)
                case .registration(let entry): try await hub.deleteRegistration(entry.id, ifMatch: entry.entityTag)
                }
            }
            return .changed
        }
    }
}

import HubCommandLine
import NotificationHubs

/// `nhub migrate`: moves devices to another platform.
enum MigrateCommand: Subcommand {
    static let command = Command(
        "migrate", summary: "Move Android devices from the legacy Firebase API to FCM v1.",
        usage: ["gcm-to-fcmv1 [--dry-run] [--yes] [--concurrency N] [--json]"],
        discussion: [
            """
            Google has shut down the legacy API. The command changes the platform of each device from gcm to fcmv1, rewrites its \
            templates to the form {"message": ...}, and keeps its handle, tags, user and push variables. A device with a \
            template that cannot be rewritten, or a registration with unknown elements, is skipped and reported with the reason.
            """,
            """
            The command reads an installation and then replaces it. A change that an app makes in between is lost. A \
            registration is deleted after the hub has accepted its replacement. To resume an interrupted migration, run the same \
            command again. If the migration of a real hub is interrupted and run again, registrations created just before the \
            interruption can exist twice; nhub dedupe finds them. Before the migration, add the FCM v1 credential to the hub. \
            Afterwards, send native messages to fcmv1. Requires the Manage right.
            """,
        ],
        actions: .init(
            [
                .init("gcm-to-fcmv1", help: "Move devices from the legacy Firebase API (gcm) to FCM v1.")
            ], noun: "migration"),
        groups: [.changes(), .connection],
        sections: [
            .environment,
            .init(
                exitStatus: [
                    (.success, "all devices were moved"),
                    (
                        .failure,
                        "some devices were skipped or failed, the command was not confirmed, or the hub cannot be reached"
                    ), (.usage, "invalid command line or setting; nothing was done"),
                    (.unreadable, "the result cannot be written"),
                ], signal: ""),
        ])

    static func run(_ arguments: consuming Arguments) async throws -> ExitStatus {
        _ = try arguments.action(of: command)
        let connection = try arguments.connection()
        let options = try DeviceChangeOptions(&arguments)
        try arguments.finish()
        try options.checkConfirmation()
        let settings = try connection.settings()
        let hub = try settings.bulkHub(concurrency: options.concurrency)
        guard try options.confirm("Move all gcm devices of the hub \(hub.name) to fcmv1?") else { return .failure }
        return try await Interrupt.exitStatus {
            var changes = DeviceChanges("moved", options)
            var seen: Set<DeviceID> = []
            var devices: [DeviceID] = []
            var progress = ListingProgress("registrations")
            defer { progress.end() }
            for try await page in hub.registrations().pages {
                for entry in page.entries where entry.registration.pushChannel.platform == .gcm {
                    if seen.insert(entry.deviceID).inserted { devices.append(entry.deviceID) }
                }
                try changes.recordOmissions(unknownKinds: [], errors: page.errors)
                progress.add(page.entries.count)
            }
            progress.end()
            // After the listing, because a move can put registrations on a page that was already read.
            try await changes.apply(to: devices, name: \.name) { device in
                do {
                    return try await move(device, in: hub, isDryRun: options.isDryRun)
                } catch let error as LegacyFirebaseBody.RewriteError {
                    return .skipped(error.description)
                }
            }
            return try changes.finish()
        }
    }

    /// Reads a device again and moves it, unless it has been deleted or moved since it was listed.
    static func move(
        _ device: DeviceID, in hub: NotificationHub, isDryRun: Bool
    ) async throws -> DeviceChanges.Outcome {
        guard let record = try await hub.record(device), record.pushChannel.platform == .gcm else { return .unchanged }
        switch record {
        case .installation(let installation):
            let moved = try installation.movedToFCMv1()
            if !isDryRun { try await hub.putInstallation(moved, enforcesLimits: false) }
            return .changed(warnings: moved.warnings)
        case .registration(let entry):
            if let problem = entry.copyProblem { return .skipped(problem) }
            let moved = try entry.registration.movedToFCMv1()
            return isDryRun
                ? .changed(warnings: moved.warnings) : try await replace(entry, with: moved, in: hub)
        }
    }

    /// Creates the replacement of a registration, and then deletes the registration.
    private static func replace(
        _ entry: Registration.Entry, with moved: Registration, in hub: NotificationHub
    ) async throws -> DeviceChanges.Outcome {
        let replacement = try await hub.writeRegistration(moved, newID: { try await hub.createRegistrationID() })
        do {
            try await hub.deleteRegistration(entry.id, ifMatch: entry.entityTag)
            return .changed(warnings: moved.warnings)
        } catch let error as HubError where error.code == .preconditionFailed {
            if case .written(let id) = replacement { try await hub.deleteRegistration(id) }
            return .failed("an app has changed the registration meanwhile: run the command again")
        }
    }
}

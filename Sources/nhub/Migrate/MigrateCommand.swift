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
            template that cannot be rewritten is skipped and reported with the reason.
            """,
            """
            An installation is replaced by one request. A registration is deleted after the hub has accepted its replacement. To \
            resume an interrupted migration, run the same command again. Before the migration, add the FCM v1 credential to the \
            hub. Afterwards, send native messages to fcmv1.
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
        let settings = try connection.settings()
        let hub = try settings.bulkHub(concurrency: options.concurrency)
        guard try options.confirm("Move all gcm devices of the hub \(hub.name) to fcmv1?") else { return .failure }
        return try await Interrupt.exitStatus {
            var changes = DeviceChanges("moved", options)
            var pages = hub.installations(concurrency: options.concurrency).pages
            pages.isIncluded = { $0.registration.pushChannel.platform == .gcm }
            for try await page in pages {
                try await changes.apply(to: page.records, name: \.name) { record in
                    try await move(record, in: hub, isDryRun: options.isDryRun)
                }
            }
            return try changes.finish()
        }
    }

    private static func move(
        _ record: DeviceRecord, in hub: NotificationHub, isDryRun: Bool
    ) async throws -> DeviceChanges.Outcome {
        do {
            switch record {
            case .installation(let installation):
                // The hub may not have applied an earlier migration to all registrations yet.
                guard installation.pushChannel.platform == .gcm else { return .unchanged }
                let moved = try installation.movedToFCMv1()
                if !isDryRun { try await hub.putInstallation(moved) }
            case .registration(let entry):
                let moved = try entry.registration.movedToFCMv1()
                if isDryRun { return .changed }
                _ = try await hub.createRegistrationIfMissing(moved)
                try await hub.deleteRegistration(entry.id)
            }
            return .changed
        } catch let error as LegacyFirebaseBody.RewriteError {
            return .skipped(error.description)
        }
    }
}

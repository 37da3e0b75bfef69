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
            The command reads an installation and then replaces it. A change that an app makes in between is lost. A \
            registration is deleted after the hub has accepted its replacement. To resume an interrupted migration, run the same \
            command again. If the migration of a real hub is killed and run again, registrations of the last seconds can be \
            created twice; nhub dedupe finds them. Before the migration, add the FCM v1 credential to the hub. Afterwards, send \
            native messages to fcmv1.
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
            var references = DeviceReferences(remembersRegistrations: true)
            var isFirstListing = true
            var foundRegistrations: Bool
            repeat {
                foundRegistrations = false
                // A deletion can move registrations to a page that was already read, so the listing is repeated.
                for try await page in hub.registrations().pages {
                    let devices = references.new(
                        in: page.entries.filter { $0.registration.pushChannel.platform == .gcm })
                    for case .registration in devices { foundRegistrations = true }
                    try await changes.apply(to: devices, name: \.name) { device in
                        do {
                            return try await move(device, in: hub, isDryRun: options.isDryRun)
                        } catch let error as LegacyFirebaseBody.RewriteError {
                            return .skipped(error.description)
                        }
                    }
                    if isFirstListing { try changes.recordOmissions(unknownKinds: [], errors: page.errors) }
                }
                isFirstListing = false
            } while foundRegistrations && !options.isDryRun
            return try changes.finish()
        }
    }

    static func move(
        _ device: DeviceReference, in hub: NotificationHub, isDryRun: Bool
    ) async throws -> DeviceChanges.Outcome {
        switch device {
        case .installation(let id):
            // The hub may not have applied an earlier migration to all registrations yet.
            guard let installation = try await hub.installationIfExists(id), installation.pushChannel.platform == .gcm
            else { return .unchanged }
            let moved = try installation.movedToFCMv1()
            if !isDryRun { try await hub.putInstallation(moved) }
        case .registration(let entry):
            let moved = try entry.registration.movedToFCMv1()
            if !isDryRun { try await replace(entry, with: moved, in: hub) }
        }
        return .changed
    }

    /// Creates the replacement of a registration, and then deletes the registration.
    private static func replace(
        _ entry: Registration.Entry, with moved: Registration, in hub: NotificationHub
    ) async throws {
        var (entry, moved) = (entry, moved)
        var replacement: Registration.ID?
        while true {
            switch try await hub.writeRegistration(
                moved, newID: { try await hub.createRegistrationID() }, replacing: { $0.id == replacement })
            {
            case .written(let id): replacement = id
            case .unchanged, .ambiguous: break
            }
            do {
                return try await hub.deleteRegistration(entry.id, ifMatch: entry.entityTag)
            } catch let error as HubError where error.code == .preconditionFailed {
                // The registration has changed since it was listed.
                guard let changed = try await hub.registrationIfExists(entry.id) else {
                    if let replacement { try await hub.deleteRegistration(replacement) }
                    return
                }
                entry = changed
                moved = try changed.registration.movedToFCMv1()
            }
        }
    }
}

import HubCommandLine
import NotificationHubs

/// `nhub delete`: deletes many devices.
enum DeleteCommand: Subcommand {
    static let command = Command(
        "delete", summary: "Delete many installations or registrations, from a file or by a filter.",
        usage: [
            "(installations | registrations) (FILE | -) [--dry-run] [--yes] [--concurrency N] [--json]",
            "(installations | registrations) (FILTERS | --all) [--dry-run] [--yes] [--concurrency N] [--json]",
        ],
        discussion: [
            """
            Each line of the file contains an ID, or a JSON object with installationId or registrationId, such as a line of \
            nhub export. With a filter, the command collects the IDs first, and then asks for confirmation. To resume an \
            interrupted command, run it again.
            """
        ],
        actions: .init([
            .init("installations", operand: .file, help: "Delete installations."),
            .init(
                "registrations", operand: .file,
                help: "Delete registrations. Filters and --all select only those that do not belong to an installation."
            ),
        ]),
        groups: [
            .deviceFilter,
            .changes([.init("--all", help: "Delete all installations, or all registrations that do not belong to one.")]
            ),
            .connection,
        ],
        sections: [
            .environment,
            .init(
                exitStatus: [
                    (.success, "all devices were deleted, or did not exist"),
                    (
                        .failure,
                        "some devices were not deleted, the command was not confirmed, or the hub cannot be reached"
                    ),
                    (.usage, "invalid command line or setting; nothing was done"),
                    (.unreadable, "the file cannot be read or is invalid, and nothing was deleted"),
                ], signal: ""),
        ])

    static func run(_ arguments: consuming Arguments) async throws -> ExitStatus {
        let action = try arguments.action(of: command) ?? ""
        let connection = try arguments.connection()
        let filter = try DeviceFilter(&arguments)
        let options = try DeviceChangeOptions(&arguments)
        let isEverything = arguments.flag("--all")
        let operands = try arguments.operands()
        let sourceCount = operands.count + (filter.isEmpty ? 0 : 1) + (isEverything ? 1 : 0)
        guard sourceCount == 1 else {
            throw UsageError(
                sourceCount == 0
                    ? "missing devices: pass a file, - for standard input, a filter or --all"
                    : "a file, filters and --all cannot be combined")
        }
        let settings = try connection.settings()
        let hub = try settings.bulkHub(concurrency: options.concurrency)
        return try await Interrupt.exitStatus {
            if action == "registrations" {
                let ids =
                    if let path = operands.first {
                        try IDFile(path, member: "registrationId").ids(Registration.ID.init)
                    } else {
                        try await registrationIDs(of: hub, filter)
                    }
                return try await delete(ids, named: "registration", of: hub, options) { id in
                    try await hub.deleteRegistration(id)
                }
            }
            let ids =
                if let path = operands.first {
                    try IDFile(path, member: "installationId").ids(Installation.ID.init)
                } else {
                    try await installationIDs(of: hub, filter)
                }
            return try await delete(ids, named: "installation", of: hub, options) { id in
                try await hub.deleteInstallation(id)
            }
        }
    }

    private static func delete<ID: HubCheckedText>(
        _ ids: [ID], named noun: String, of hub: NotificationHub, _ options: DeviceChangeOptions,
        _ delete: @escaping @Sendable (ID) async throws -> Void
    ) async throws -> ExitStatus {
        let question = "Delete \(ids.count) \(noun)\(ids.count == 1 ? "" : "s") of the hub \(hub.name)?"
        guard try ids.isEmpty || options.confirm(question) else { return .failure }
        var changes = DeviceChanges("deleted", options, total: ids.count)
        let isDryRun = options.isDryRun
        try await changes.apply(to: ids, name: { "\(noun) \($0)" }) { id in
            if !isDryRun { try await delete(id) }
            return .changed
        }
        return try changes.finish()
    }

    /// Returns the IDs of the selected installations, without reading the installations.
    private static func installationIDs(
        of hub: NotificationHub, _ filter: DeviceFilter
    ) async throws -> [Installation.ID] {
        var ids: Set<Installation.ID> = []
        for try await entry in hub.registrations(filter.selection) where filter.includes(entry) {
            if let id = entry.installationID { ids.insert(id) }
        }
        return ids.sorted()
    }

    /// Returns the IDs of the selected registrations that do not belong to an installation.
    private static func registrationIDs(
        of hub: NotificationHub, _ filter: DeviceFilter
    ) async throws -> [Registration.ID] {
        var ids: [Registration.ID] = []
        for try await entry in hub.registrations(filter.selection)
        where filter.includes(entry) && entry.installationID == nil {
            ids.append(entry.id)
        }
        return ids
    }
}

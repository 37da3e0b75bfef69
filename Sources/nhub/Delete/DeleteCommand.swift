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
            nhub export. Objects that contain only the other ID are skipped. With a filter, the command collects the IDs first, \
            and then asks for confirmation. To resume an interrupted command, run it again. \
            With a filter or --all, the command requires the Manage right.
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
            .changes([.init(.all, help: "Delete all installations, or all registrations that do not belong to one.")]
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
        let isEverything = arguments.flag(.all)
        let operands = try arguments.operands()
        let sourceCount = operands.count + (filter.isEmpty ? 0 : 1) + (isEverything ? 1 : 0)
        guard sourceCount == 1 else {
            throw UsageError(
                sourceCount == 0
                    ? "missing devices: pass a file, - for standard input, a filter or --all"
                    : "a file, filters and --all cannot be combined")
        }
        try options.checkConfirmation()
        let settings = try connection.settings()
        let hub = try settings.bulkHub(concurrency: options.concurrency)
        return try await Interrupt.exitStatus {
            let path = operands.first
            if action == "registrations" {
                let selected =
                    if let path {
                        Selected(ids: try IDFile(path, member: .registrationId).ids(Registration.ID.init))
                    } else {
                        try await Selected(of: hub, filter) { $0.installationID == nil ? $0.id : nil }
                    }
                return try await delete(selected, named: "registration", of: hub, options) { id in
                    try await hub.deleteRegistration(id)
                }
            }
            let selected =
                if let path {
                    Selected(ids: try IDFile(path, member: .installationId).ids(Installation.ID.init))
                } else {
                    try await Selected(of: hub, filter) { $0.installationID }
                }
            return try await delete(selected, named: "installation", of: hub, options) { id in
                try await hub.deleteInstallation(id)
            }
        }
    }

    private static func delete<ID: _HubCheckedText>(
        _ selected: Selected<ID>, named noun: String, of hub: NotificationHub, _ options: DeviceChangeOptions,
        _ delete: @escaping @Sendable (ID) async throws -> Void
    ) async throws -> ExitStatus {
        let ids = selected.ids
        let question = "Delete \(ids.count) \(noun)\(ids.count == 1 ? "" : "s") of the hub \(hub.name)?"
        guard try ids.isEmpty || options.confirm(question) else { return .failure }
        var changes = DeviceChanges(
            "deleted", options, total: ids.count + selected.unknownKinds.count + selected.errors.count)
        try changes.recordOmissions(unknownKinds: selected.unknownKinds, errors: selected.errors)
        let isDryRun = options.isDryRun
        try await changes.apply(to: ids, name: { "\(noun) \($0)" }) { id in
            if !isDryRun { try await delete(id) }
            return .changed
        }
        return try changes.finish()
    }

    /// The IDs of the devices to delete, and what the client omits from the listing.
    private struct Selected<ID: _HubCheckedText> {
        var ids: [ID]
        var unknownKinds: [String] = []
        var errors: [HubError] = []

        init(ids: [ID]) {
            self.ids = ids
        }

        /// Lists the selected devices, without reading the installations.
        init(
            of hub: NotificationHub, _ filter: DeviceFilter, id: (Registration.Entry) -> ID?
        ) async throws {
            var found: Set<ID> = []
            var progress = ListingProgress("registrations")
            defer { progress.end() }
            ids = []
            for try await page in hub.registrations(filter.selection).pages {
                found.formUnion(page.entries.filter(filter.includes).compactMap(id))
                unknownKinds += page.unknownKinds
                errors += page.errors
                progress.add(page.entries.count)
            }
            ids = found.sorted()
        }
    }
}

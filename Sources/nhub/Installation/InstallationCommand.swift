import HubCommandLine
import NotificationHubs

/// `nhub installation`: looks at installations and changes them.
enum InstallationCommand: Subcommand {
    static let name = "installation"
    static let summary = "Get, put, patch or delete a device's installation, or ask whether it exists."

    static func run(_ arguments: consuming Arguments) async throws -> ExitStatus {
        let action = arguments.subcommand()
        // Options with values first: they do not take a flag for their value, but might take what stands behind it.
        let caFile = try arguments.caFile()
        let changes = action == "patch" ? try InstallationPatch.changes(&arguments) : []
        let asJSON = arguments.flag("--json")
        switch action {
        case "get":
            let id = try id(&arguments)
            let hub = try HubSettings.fromEnvironment(caFile: caFile).hub()
            return try await Interrupt.endingEarly { try await InstallationReading.get(id, from: hub) }
        case "exists":
            let id = try id(&arguments)
            let hub = try HubSettings.fromEnvironment(caFile: caFile).hub()
            return try await Interrupt.endingEarly {
                try await InstallationReading.tellWhetherExists(id, in: hub, asJSON: asJSON)
            }
        case "put":
            let input = Input(try arguments.operands(named: "the installation's file, or - for standard input,")[0])
            let hub = try HubSettings.fromEnvironment(caFile: caFile).hub()
            let installation = try input.read(as: "an installation") { try Installation(json: $0) }
            return try await write("put", installation.id, asJSON) {
                do {
                    try await hub.putInstallation(installation)
                } catch let error as HubValidationError {
                    throw input.problem(with: "an installation", error)
                }
            }
        case "patch":
            let patch = try InstallationPatch.take(changes, from: &arguments)
            let hub = try HubSettings.fromEnvironment(caFile: caFile).hub()
            let patches = try patch.patches()
            return try await write("patch", patch.id, asJSON) { try await patch.send(patches, to: hub) }
        case "delete":
            let id = try id(&arguments)
            let hub = try HubSettings.fromEnvironment(caFile: caFile).hub()
            return try await write("delete", id, asJSON) { try await hub.deleteInstallation(id) }
        case let word?:
            throw UsageError(
                "\(Arguments.quoted(word)) is nothing to do with an installation; see nhub installation --help")
        case nil:
            throw UsageError("get, put, patch, delete or exists is missing; see nhub installation --help")
        }
    }

    private static func id(_ arguments: inout Arguments) throws(UsageError) -> Installation.ID {
        try id(try arguments.operands(named: "the installation's id")[0])
    }

    /// An installation's id, if the text is one.
    static func id(_ text: String) throws(UsageError) -> Installation.ID {
        do {
            return try Installation.ID(validating: text)
        } catch {
            throw UsageError("\(error)")
        }
    }

    /// Writes to the hub, and says that it has taken it.
    private static func write(
        _ operation: String, _ id: Installation.ID, _ asJSON: Bool, _ call: @escaping @Sendable () async throws -> Void
    ) async throws -> ExitStatus {
        try await Interrupt.endingEarly {
            try await call()
            var fields = Fields()
            fields.addLine("accepted", "the hub carries out the \(operation) of \(id), within seconds as a rule")
            fields.addMember {
                $0.add("operation", operation)
                $0.add("installationId", id.rawValue)
                $0.add("accepted", true)
            }
            try fields.write(asJSON: asJSON)
            return .success
        }
    }
}

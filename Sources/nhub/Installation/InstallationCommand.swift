import HubCommandLine
import NotificationHubs

/// `nhub installation`: reads and changes installations.
enum InstallationCommand: Subcommand {
    static let command = Command(
        "installation", summary: "Get, put, patch or delete a device's installation, or check whether it exists.",
        overview: "Read or change a device's installation.",
        usage: [
            "get ID", "exists ID [--json]", "put (FILE | -) [--json]", "patch ID [FILE | -] [CHANGES] [--json]",
            "delete ID [--json]",
        ],
        discussion: ["The hub accepts a write immediately and applies it later, usually within seconds."],
        actions: .init([
            .init("get", help: "Print the installation as one line of JSON, including a browser's secret."),
            .init(
                "exists",
                help: """
                    Check whether the installation exists. If the hub itself does not exist, the result is also "does not \
                    exist"; see nhub check.
                    """),
            .init(
                "put", operand: .file,
                help: "Create or replace an installation. The JSON is validated before it is sent."),
            .init(
                "patch", operand: .file,
                help: """
                    Change parts of an installation: first a JSON array of operations (RFC 6902), then CHANGES.
                    """),
            .init("delete", help: "Delete the installation."),
        ]),
        groups: [
            .init(
                [
                    .init(.addTag, value: "TAG", help: "Add a tag. Repeatable."),
                    .init(.removeTag, value: "TAG", help: "Remove a tag. Repeatable."),
                    .init(.setUser, value: "USER", help: "Set the user ID."),
                    .init(.removeUser, help: "Remove the user ID."),
                ], title: "CHANGES"),
            .init([
                .init(
                    .json,
                    help: """
                        Print a JSON object: operation, installationId, accepted; for exists, installationId and exists.
                        """)
            ]), .connection,
        ],
        sections: [
            .init(
                "OPERATIONS",
                lines: """
                    [{"op": "add", "path": "/tags", "value": ["news", "sports"]},
                     {"op": "replace", "path": "/tags", "value": ["news"]},
                     {"op": "remove", "path": "/tags/news"},
                     {"op": "add", "path": "/templates/NAME", "value": {"body": "..."}},
                     {"op": "replace", "path": "/templates/NAME/body", "value": "..."},
                     {"op": "remove", "path": "/templates/NAME"},
                     {"op": "replace", "path": "/userId", "value": "zoe"},
                     {"op": "remove", "path": "/userId"},
                     {"op": "replace", "path": "/pushChannel", "value": "HANDLE"}]
                    """),
            .init(
                "OTHER OPERATIONS",
                text: """
                    Paths also exist for a template's headers, expiry and tags, and for a secondary tile: \
                    /secondaryTiles/ID/pushChannel, tags and templates. Operations are sent in the form that Microsoft's SDKs \
                    use. Other operations are rejected, as is a string with several tags, which the service would store as one \
                    tag.
                    """), .environment,
            .init(
                exitStatus: [
                    (.success, "success; for exists, the installation exists"),
                    (
                        .failure,
                        """
                        the hub rejected the request, or could not be reached; for exists, the installation does not exist
                        """
                    ), (.usage, "invalid command line or setting; nothing was sent"),
                    (
                        .unreadable,
                        """
                        the file cannot be read or is invalid, and nothing was sent; for exists, the result is unknown; or \
                        the result cannot be written
                        """
                    ),
                ], signal: "; the hub may still apply the write"),
        ])

    static func run(_ arguments: consuming Arguments) async throws -> ExitStatus {
        let action = try arguments.action(of: command)
        let connection = try arguments.connection()
        let changes = action == "patch" ? try InstallationPatch.changes(&arguments) : []
        let asJSON = arguments.flag(.json)
        switch action {
        case "exists":
            let id = try id(&arguments)
            let hub = try connection.settings().hub()
            return try await Interrupt.exitStatus {
                try await InstallationReading.exists(id, in: hub, asJSON: asJSON)
            }
        case "put":
            let input = Input(try arguments.operands(named: "installation file (or - for standard input)")[0])
            let hub = try connection.settings().hub()
            let installation = try input.read(as: "installation") { try Installation(json: $0) }
            // Hubs hold devices with more tags than documented, which nhub installation get prints.
            let limit = installation.exceededLimit?.code
            let enforcesLimits = limit != nil && limit != .tooManyTags
            if !enforcesLimits { installation.warnings.forEach { Console.error("nhub: warning: \($0)") } }
            for (name, problems) in installation.templateProblems().sorted(by: { $0.key < $1.key }) {
                problems.report("template \(name)")
            }
            return try await write("put", installation.id, asJSON) {
                do {
                    try await hub.putInstallation(installation, enforcesLimits: enforcesLimits)
                } catch let error as HubValidationError {
                    throw input.invalid("installation", error)
                }
            }
        case "patch":
            let patch = try InstallationPatch.take(changes, from: &arguments)
            let hub = try connection.settings().hub()
            let patches = try patch.patches()
            return try await write("patch", patch.id, asJSON) { try await patch.send(patches, to: hub) }
        case "delete":
            let id = try id(&arguments)
            let hub = try connection.settings().hub()
            return try await write("delete", id, asJSON) { try await hub.deleteInstallation(id) }
        default:
            let id = try id(&arguments)
            let hub = try connection.settings().hub()
            return try await Interrupt.exitStatus { try await InstallationReading.get(id, from: hub) }
        }
    }

    private static func id(_ arguments: inout Arguments) throws(UsageError) -> Installation.ID {
        try id(try arguments.operands(named: "installation ID")[0])
    }

    /// Parses an installation's ID.
    static func id(_ text: String) throws(UsageError) -> Installation.ID {
        do {
            return try Installation.ID(validating: text)
        } catch {
            throw UsageError("\(error)")
        }
    }

    /// Sends a write to the hub, and reports that the hub has accepted it.
    private static func write(
        _ operation: String, _ id: Installation.ID, _ asJSON: Bool, _ call: @escaping @Sendable () async throws -> Void
    ) async throws -> ExitStatus {
        try await Interrupt.exitStatus {
            try await HubFailure.about("installation \"\(id)\"") { try await call() }
            var fields = Fields()
            fields.addLine("accepted", "the hub will apply the \(operation) of \(id), usually within seconds")
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

/// The actions of `nhub installation` that read from the hub.
enum InstallationReading {
    /// Writes an installation as the hub returns it, including unknown members.
    static func get(_ id: Installation.ID, from hub: NotificationHub) async throws -> ExitStatus {
        let body = try await HubFailure.about("installation \"\(id)\"") { try await hub.installationBody(id) }
        do {
            let json = try JSONValue(parsing: body).bytes
            try Console.output(bytes: [UInt8](escapingJSON: json) + [0x0a])
        } catch let error as JSONValue.ParseError {
            throw InvalidResponseError(description: "the hub's response is not JSON: \(error)")
        }
        return .success
    }

    /// Reports whether an installation exists, in the output and in the exit status.
    static func exists(
        _ id: Installation.ID, in hub: NotificationHub, asJSON: Bool
    ) async throws -> ExitStatus {
        let exists: Bool
        do {
            exists = try await hub.installationExists(id)
        } catch is CancellationError {
            throw CancellationError()
        } catch {
            throw UnknownExistenceError(error: error)
        }
        var fields = Fields()
        fields.addLine(exists ? "exists" : "does not exist", id.rawValue)
        fields.addMember {
            $0.add("installationId", id.rawValue)
            $0.add("exists", exists)
        }
        try fields.write(asJSON: asJSON)
        return exists ? .success : .failure
    }

    /// The error for a failed check. Its exit status must differ from that of an installation that does not exist.
    struct UnknownExistenceError: Error, CustomStringConvertible {
        let error: any Error
        var description: String { HubFailure.text(of: error) }
    }

    private struct InvalidResponseError: Error, CustomStringConvertible {
        let description: String
    }
}

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

/// What `nhub installation` reads from the hub.
enum InstallationReading {
    /// Writes an installation as the hub has it, whatever this package knows of its members.
    static func get(_ id: Installation.ID, from hub: NotificationHub) async throws -> ExitStatus {
        let body = try await hub.installationBody(id)
        do {
            let json = try JSONValue(parsing: body).bytes
            try Console.output(bytes: [UInt8](escapingJSON: String(decoding: json, as: UTF8.self)) + [0x0a])
        } catch let error as JSONValue.ParseError {
            throw UnreadableAnswer(description: "the hub's answer is no JSON: \(error)")
        }
        return .success
    }

    /// Says whether there is an installation, in the status too.
    static func tellWhetherExists(
        _ id: Installation.ID, in hub: NotificationHub, asJSON: Bool
    ) async throws -> ExitStatus {
        let exists: Bool
        do {
            exists = try await hub.installationExists(id)
        } catch is CancellationError {
            throw CancellationError()
        } catch {
            // That nobody knows must not look like "no".
            Console.error("nhub: \(error)")
            return .unreadable
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

    private struct UnreadableAnswer: Error, CustomStringConvertible {
        let description: String
    }
}

extension InstallationCommand {
    static let help = """
        OVERVIEW: Look at a device's installation, or change it.

        USAGE: nhub installation get ID
               nhub installation exists ID [--json]
               nhub installation put (FILE | -) [--json]
               nhub installation patch ID [FILE | -] [changes] [--json]
               nhub installation delete ID [--json]

        get       Prints the installation as JSON, in a line, with every member that the hub has: of a browser, its
                  secret too.
        exists    Asks whether there is one. A hub that there is not has none either: see nhub check.
        put       Creates an installation, or replaces all of it. The JSON is checked before anything is sent.
        patch     Changes parts of one: operations (RFC 6902) as a JSON array, and then the changes of the options.
        delete    Deletes one.

        The hub takes what is written at once and carries it out later, within seconds as a rule.

        CHANGES:
          --add-tag TAG     Add a tag. May be there more than once.
          --remove-tag TAG  Remove a tag. May be there more than once.
          --set-user USER   Say whose device it is.
          --remove-user     Say that it is nobody's.

        OPERATIONS:
          [{"op": "add", "path": "/tags", "value": ["news", "sports"]},
           {"op": "replace", "path": "/tags", "value": ["news"]},
           {"op": "remove", "path": "/tags/news"},
           {"op": "add", "path": "/templates/NAME", "value": {"body": "..."}},
           {"op": "replace", "path": "/templates/NAME/body", "value": "..."},
           {"op": "remove", "path": "/templates/NAME"},
           {"op": "replace", "path": "/userId", "value": "zoe"},
           {"op": "remove", "path": "/userId"},
           {"op": "replace", "path": "/pushChannel", "value": "HANDLE"}]

          A template's headers, expiry and tags have paths, too, and so has a tile: /secondaryTiles/ID/pushChannel, tags and
          templates. Each is sent in the form in which Microsoft's SDKs send it. Several tags in one text, which the service
          would take for one, are refused, and so is every other operation.

        OPTIONS:
          --json            Print an object: operation, installationId, accepted; of exists, installationId and exists.
          -h, --help        Show this help.

        \(Help.connection)

        EXIT STATUS:
          0  done; of exists, it is there
          1  the hub refused it, or could not be reached; of exists, it is not there
          2  the command line or a setting is wrong; nothing was sent
          3  the file cannot be read, or cannot be sent as it is; nothing was sent. Of exists, nobody knows
          128 + N  broken off by signal N (130 by an interrupt); what was under way may be carried out
        """
}

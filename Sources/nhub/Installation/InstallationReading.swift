import HubCommandLine
import NotificationHubs

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

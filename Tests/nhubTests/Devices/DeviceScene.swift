import NotificationHubsEmulatorServer
import Foundation
import HubTestSupport
import NotificationHubs
import NotificationHubsEmulator

/// An emulated hub with devices, and a directory for the files of the tool.
struct DeviceScene {
    let directory = FileManager.default.temporaryDirectory.appending(path: "nhub-devices-\(UUID().uuidString)")
    let counting: CountingHub

    init(_ installations: [Installation] = [], _ registrations: [Registration] = []) async throws {
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        counting = try CountingHub()
        for installation in installations { try emulator.seed(installation) }
        let client = emulator.makeClient()
        for registration in registrations { _ = try await client.createRegistration(registration) }
    }

    var emulator: HubEmulator { counting.emulator }

    func remove() {
        counting.server.stop()
        try? FileManager.default.removeItem(at: directory)
    }

    /// Runs the tool in the directory.
    func run(
        _ words: String..., environment: [String: String] = [:],
        started: @escaping @Sendable (RunningProgram) -> Void = { _ in }
    ) async throws -> BuiltProgram.Outcome {
        try await shell("exec \"$0\" \"$@\"", words, environment: environment, started: started)
    }

    /// Runs a shell command in the directory, in which `"$0"` is the tool and `"$1"` the first word.
    func shell(
        _ command: String, _ words: [String] = [], environment: [String: String] = [:], input: String = "",
        started: @escaping @Sendable (RunningProgram) -> Void = { _ in }
    ) async throws -> BuiltProgram.Outcome {
        let hub = [
            "NOTIFICATION_HUB_CONNECTION_STRING": counting.server.connectionString, "NOTIFICATION_HUB_NAME": "push",
        ]
        return try await BuiltProgram(at: URL(filePath: "/bin/sh")).run(
            [
                "-c", "cd '\(directory.path)' && \(command)", BuiltProgram.buildDirectory.appending(path: "nhub").path,
            ] + words,
            environment: hub.merging(environment) { $1 }, input: input, started: started)
    }

    /// Runs the tool, and kills it after a number of requests.
    func runKilled(_ words: String..., after count: Int) async throws -> BuiltProgram.Outcome {
        let limit = counting.requestCount + count
        return try await shell("exec \"$0\" \"$@\"", words) { counting.send(SIGKILL, to: $0, after: limit) }
    }

    func path(_ name: String) -> String { directory.appending(path: name).path }

    /// Returns the lines of a file in the directory, or `nil` if the file does not exist.
    func lines(of name: String) -> [String]? {
        let text = try? BuiltProgram.text(of: directory.appending(path: name))
        return text?.split(separator: "\n").map(String.init)
    }

    func write(_ text: String, to name: String) throws {
        try Data(text.utf8).write(to: directory.appending(path: name))
    }

    /// The hub's registrations that do not belong to an installation, without their IDs, ordered by handle.
    func otherRegistrations() async throws -> [Registration] {
        var found: [Registration] = []
        for try await entry in emulator.makeClient().registrations() where entry.installationID == nil {
            found.append(entry.registration)
        }
        return found.sorted {
            ($0.pushChannel.handle, $0.template?.body ?? "") < ($1.pushChannel.handle, $1.template?.body ?? "")
        }
    }

    /// Returns Android devices with a template and the tag `news`.
    static func phones(_ count: Int, platform: PushPlatform = .gcm) -> [Installation] {
        (1...count).map { number in
            var phone = Installation(
                id: Installation.ID(number), pushChannel: PushChannel(platform: platform, handle: "handle-\(number)"),
                tags: ["news"])
            phone.templates["t"] = .init(body: #"{"data":{"message":"$(message)"}}"#)
            return phone
        }
    }
}

extension Installation.ID {
    /// An ID such as `phone-7`.
    init(_ number: Int) {
        self = (try? Installation.ID(validating: "phone-\(number)")) ?? "invalid"
    }
}

extension BuiltProgram.Outcome {
    /// The lines of the output.
    var lines: [String] { output.split(whereSeparator: \.isNewline).map(String.init) }

    /// The values of a member in the output's JSON objects.
    func values(of member: String) -> [String] {
        lines.compactMap { line in
            guard case .object(let object)? = try? JSONValue(parsing: line.utf8),
                case .string(let text)? = object[member]
            else { return nil }
            return text
        }
    }
}

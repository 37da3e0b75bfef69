import HubCommandLine
import NotificationHubs
import SharedAccessSignature

#if canImport(FoundationEssentials)
import struct FoundationEssentials.Date
#else
import struct Foundation.Date
#endif

/// `nhub verify`: runs the client's whole surface against a hub, and compares the hub with the emulator.
enum VerifyCommand: Subcommand {
    static let command = Command(
        "verify", summary: "Test the hub with every call of the client, and compare its responses with the emulator's.",
        usage: [
            "[--only read] [--skip STEP]... [--yes] [--record FILE] [--json]",
            "--clean-up RUN",
            "--replay FILE [--json]",
        ],
        discussion: [
            """
            Puts, reads, patches and deletes installations and registrations of each platform, sends messages, and tests the \
            hub's errors. Reports each step as ok, failed or skipped, and then which responses differ from those of an emulator in \
            this process. nhub check takes two seconds, and tests only the key.
            """,
            """
            Everything that the command writes contains a random ID, such as verify-0123456789abcdef, and device handles that no \
            platform issued. It sends nothing to other tags, users or devices. At the end, and after an interrupt or an error, it \
            deletes everything it wrote, and lists what it could not delete. During the run, broadcasts from other programs also \
            reach the run's test devices.
            """,
            """
            Running every step requires the Manage right. Steps that require a missing right or a feature of another tier are \
            skipped, with the reason. The groups of steps are \(VerifyStep.groups.joined(separator: ", ")).
            """,
        ],
        groups: [
            .init([
                .init(
                    .only, value: "KIND", kind: .choices(["read"]),
                    help: "read: change nothing, and send no message."),
                .init(.skip, value: "STEP", help: "A step or a group to leave out; repeatable."),
                .init(.yes, help: "Do not ask for confirmation."),
                .init(
                    .record, value: "FILE",
                    help: """
                        Write the exchanges to a file, without keys, handles, hub and host names, and service IDs.
                        """),
                .init(.region, value: "NAME", help: "The hub's region, for the recording."),
                .init(
                    .replay, value: "FILE",
                    help: "Compare a recording with the emulator, without a hub."),
                .init(
                    .cleanUp, value: "RUN",
                    help: """
                        Delete what the run with this ID left, for example after kill -9. Scheduled messages are not deleted; no \
                        device has their tag.
                        """),
                .init(
                    .containerURLEnv, value: "VARIABLE",
                    help: """
                        An environment variable that contains the signed URL of a storage container, with permission to list, read \
                        and write. The run then also exports all registrations of the hub into it, and reads the file up to a \
                        registration of the run.
                        """),
                .init(
                    .containerURLFile, value: "FILE", help: "A file that contains the container's URL."),
                .init(
                    .json,
                    help: """
                        Print a JSON object: endpoint, hub, run; tier, profile; steps, each with step, result, reason and \
                        milliseconds; requests, throttled; equal, equalButVariable and different; differences, assumptions; left.
                        """),
            ]), .connection,
        ],
        sections: [
            .environment,
            .init(
                exitStatus: [
                    (.success, "no step failed, and everything was deleted; with --replay, no response differs"),
                    (
                        .failure,
                        "a step failed, something was not deleted, a response of a replay differs, or the run was not confirmed"
                    ),
                    (.usage, "invalid command line or setting; nothing was sent"),
                    (.unreadable, "the recording cannot be read or written, or the result cannot be written"),
                ], signal: ", after deleting what the run wrote"),
        ])

    static func run(_ arguments: consuming Arguments) async throws -> ExitStatus {
        let connection = try arguments.connection()
        let options = try VerifyOptions(&arguments)
        try arguments.finish()
        if let path = options.replay { return try await replay(path, options) }
        let settings = try connection.settings()
        if let names = options.cleanUp { return try await cleanUp(names, settings) }
        if let path = options.record { try VerifyFile.check(path) }
        return try await Interrupt.exitStatus { try await verify(settings, options) }
    }

    private static func verify(_ settings: HubSettings, _ options: VerifyOptions) async throws -> ExitStatus {
        let names = VerifyNames()
        let run = try VerifyRun(
            connection: settings.connection, hub: settings.name, names: names, transport: try settings.transport(),
            container: options.container,
            options: .init(observer: settings.isVerbose ? AttemptLog.observer() : nil))
        guard try options.confirm(run.hub) else { return .failure }
        if options.writes {
            Console.error("nhub: run \(names.run); if this process is killed, run: nhub verify --clean-up \(names.run)")
        }
        var report = VerifyReport(run.hub, names, asJSON: options.asJSON, stepCount: options.steps.count)
        var failure: (any Error)?
        do {
            try await run.perform(options.steps) { try report.add($0) }
        } catch {
            failure = error
        }
        if failure != nil, run.scope.left.isAny { Console.error("nhub: deleting what the run wrote") }
        // The deletion is not cancelled with the run.
        let left = run.scope.left.isAny ? await Task { await VerifyCleanUp(run).removeEverything() }.value : []
        report.end(run, left: left)
        // Before anything that can fail.
        try report.writeLeft()
        if let failure { throw failure }
        let (recording, comparison) = try await compare(
            report.results, of: run, keyName: settings.connection.key?.name,
            date: String(Date().formatted(.iso8601).prefix(10)), region: options.region)
        try report.write(recording.head, comparison)
        if let path = options.record { try VerifyFile.write(recording.numbered, to: path) }
        return report.hasFailed ? .failure : .success
    }

    /// Compares the results of a run with an emulator of this process.
    ///
    /// - Parameter keyName: The name of the key's policy, which a recording must not contain.
    static func compare(
        _ results: [VerifyResult], of run: VerifyRun, keyName: String?, date: String, region: String?
    ) async throws -> (VerifyRecording, VerifyComparison) {
        let head = VerifyRecording.Head(
            results, rights: run.rights, endpoint: run.hub.endpoint, date: date, region: region)
        let anonymizer = Anonymizer(
            run.hub, keyName: keyName, names: run.names,
            secrets: run.container.map {
                [$0.rawValue, "\($0.endpoint.host)"] + $0.path.split(separator: "/").map(String.init)
            } ?? [])
        // The emulator has no container of the user.
        let performed = results.filter { !$0.exchanges.isEmpty && !$0.isSkipped && $0.step.name != "jobs/export" }
        let recording = VerifyRecording(head: head, steps: performed.map { $0.anonymized(by: anonymizer) })
        let twin = try VerifyTwin(head, endpoint: run.hub.endpoint, hub: run.hub.name, names: run.names)
        let emulator = try await twin.exchanges(of: performed.map(\.step))
        return (recording, VerifyComparison(service: recording.steps, emulator: emulator))
    }

    private static func cleanUp(_ names: VerifyNames, _ settings: HubSettings) async throws -> ExitStatus {
        let run = try VerifyRun(
            connection: settings.connection, hub: settings.name, names: names, transport: try settings.transport())
        return try await Interrupt.exitStatus {
            run.scope.add(installations: VerifyStep.installationNames.map { names.installation($0).rawValue })
            let left = await VerifyCleanUp(run, needsList: true).removeEverything()
            try Task.checkCancellation()
            try Console.result(
                left.isEmpty ? ["deleted everything of run \(names.run)"] : left.map { "not deleted: \($0)" })
            return left.isEmpty ? .success : .failure
        }
    }

    private static func replay(_ path: String, _ options: VerifyOptions) async throws -> ExitStatus {
        let recording = try Input(path).read(as: "recording") { try VerifyRecording($0) }
        let comparison = try await VerifyComparison(replaying: recording)
        try VerifyReport.write(comparison, of: recording.head, asJSON: options.asJSON)
        return comparison.isEqual ? .success : .failure
    }
}

/// The options of `nhub verify`.
struct VerifyOptions: Sendable {
    let steps: [VerifyStep]
    let container: NotificationHub.StorageURL?
    let record: String?
    let region: String?
    let replay: String?
    let cleanUp: VerifyNames?
    let asJSON: Bool
    private let isConfirmed: Bool

    init(_ arguments: inout Arguments) throws(UsageError) {
        let only = try arguments.value(of: .only)
        let skipped = try arguments.values(of: .skip).map(\.value)
        let variable = try arguments.value(of: .containerURLEnv)
        let file = try arguments.value(of: .containerURLFile)
        record = try arguments.value(of: .record)
        region = try arguments.value(of: .region)
        replay = try arguments.value(of: .replay)
        let run = try arguments.value(of: .cleanUp)
        isConfirmed = arguments.flag(.yes)
        asJSON = arguments.flag(.json)
        if let other: OptionName = replay != nil ? .replay : run != nil ? .cleanUp : nil {
            let isAlone =
                [only, record, region, variable, file, replay == nil ? nil : run].allSatisfy { $0 == nil }
                && skipped.isEmpty
                && !isConfirmed && (replay != nil || !asJSON)
            guard isAlone else {
                throw UsageError("\(other) cannot be combined with other options of the run")
            }
        }
        if region != nil, record == nil { throw UsageError("--region: requires --record") }
        cleanUp = try run.map { text throws(UsageError) in
            guard let names = VerifyNames(run: text) else {
                throw UsageError("--clean-up: expected the ID of a run, such as verify-0123456789abcdef")
            }
            return names
        }
        let known = Set(VerifyStep.all.map(\.name) + VerifyStep.groups)
        if let unknown = skipped.first(where: { !known.contains($0) }) {
            throw UsageError(
                "--skip: no step or group \(Arguments.quoted(unknown)); the groups are \(VerifyStep.groups.joined(separator: ", "))"
            )
        }
        steps = VerifyStep.all.filter { step in
            (only == nil || !step.writes) && !skipped.contains(step.name) && !skipped.contains(String(step.group))
        }
        guard !steps.isEmpty else { throw UsageError("--skip: no step is left") }
        container = try ContainerOptions.url(variable: variable, file: file)
        guard replay != nil || run != nil || !writes || isConfirmed || Confirmation.isPossible else {
            throw UsageError("without a terminal, pass --yes to confirm, or --only read to change nothing")
        }
    }

    /// Whether a step changes the hub.
    var writes: Bool { steps.contains(where: \.writes) }

    /// Asks the user to confirm the run.
    func confirm(_ hub: NotificationHub) throws -> Bool {
        let requests = steps.reduce(0) { $0 + $1.requestCount }
        let messages = steps.filter { $0.group == "messages" && $0.writes || $0.name == "access/send" }.count
        let estimate = "about \(requests) requests, of which at most \(messages) count as pushes"
        guard writes else { return true }
        if isConfirmed {
            Console.error("nhub: \(estimate)")
            return true
        }
        return try Confirmation.ask("Run \(steps.count) steps against the hub \(hub.name): \(estimate)?")
    }
}

/// The files of recordings.
enum VerifyFile {
    /// Checks that a file can be written.
    static func check(_ path: String) throws(FileWriteError) {
        do {
            try AtomicFile.check(path: path)
        } catch {
            throw FileWriteError(what: "the recording", reason: error)
        }
    }

    static func write(_ recording: VerifyRecording, to path: String) throws(FileWriteError) {
        do {
            try AtomicFile.write(recording.bytes, to: path)
        } catch {
            throw FileWriteError(what: "the recording", reason: error)
        }
    }
}

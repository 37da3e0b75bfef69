import HubCommandLine
import NotificationHubs

/// `nhub job`: runs and watches jobs, in which the service exports or imports registrations.
enum JobCommand: Subcommand {
    static let command = Command(
        "job", summary: "Export or import registrations with jobs of the service.",
        overview: "Run and watch jobs, in which the service exports or imports registrations.",
        usage: [
            "export CONTAINER [--wait] [--output FILE] [--json]",
            "(import | update | upsert | delete) CONTAINER --input BLOB [--wait] [--output FILE] [--failures FILE] [--json]",
            "list [--json]", "get ID [--json]", "wait ID [CONTAINER] [--output FILE] [--failures FILE] [--json]",
        ],
        discussion: [
            """
            A job reads and writes files in a container of Azure Storage. Each line of a file is the XML of one registration, \
            which nhub import reads and nhub export --format service writes. Requires the Standard tier and the Manage right.
            """,
            """
            The command prints the job's ID and exits when the hub has accepted the job. With --wait, --output or --failures, it exits \
            when the job has ended. If it is interrupted, the job continues: the action wait waits again, and list prints the ID.
            """,
            """
            A job exports the registrations of installations, but not the installations themselves: use nhub export for these.
            """,
        ],
        actions: .init([
            .init("export", help: "Export all registrations to the container."),
            .init("import", help: "Create the registrations that a file in the container lists."),
            .init("update", help: "Update the listed registrations, by RegistrationId."),
            .init("upsert", help: "Create or update the listed registrations."),
            .init(
                "delete",
                help: "Delete the listed registrations. According to user reports, the service may ignore such jobs."),
            .init("list", help: "List the hub's jobs."), .init("get", help: "Print a job's state."),
            .init("wait", help: "Wait until a job has ended, and print its state."),
        ]),
        groups: [
            .init(
                [
                    .init(
                        .containerURLEnv, value: "VARIABLE",
                        help: """
                            An environment variable that contains the signed URL of the container, with permission to list, read and \
                            write.
                            """),
                    .init(
                        .containerURLFile, value: "FILE", help: "A file that contains the container's URL."),
                ], title: "CONTAINER"),
            .init([
                .init(
                    .input, value: "BLOB",
                    help: "The name of the file in the container that the job reads, such as devices.xml."),
                .init(.wait, help: "Wait until the job has ended."),
                .init(
                    .output, value: "FILE",
                    help: """
                        When the job has ended, download the exported or imported registrations to a new file that only its \
                        owner can read. The file contains device handles.
                        """),
                .init(
                    .failures, value: "FILE",
                    help: "When the job has ended, download its failed lines to a new file. Not for export."),
                .init(
                    .json,
                    help: """
                        Print JSON objects: jobId, type, status, progress, failure, createdAt, updatedAt, outputFilePath, \
                        failedFilePath, failedBytes.
                        """),
            ]), .connection,
        ],
        sections: [
            .environment,
            .init(
                exitStatus: [
                    (.success, "success; if the command waits, the job has ended, and no line is known to have failed"),
                    (
                        .failure,
                        "the hub rejected the request or could not be reached; the job failed, or lines of it failed"
                    ),
                    (.usage, "invalid command line or setting; nothing was sent"),
                    (.unreadable, "the result cannot be written"),
                ], signal: "; a job that the hub has accepted continues"),
        ])

    static func run(_ arguments: consuming Arguments) async throws -> ExitStatus {
        let action = try arguments.action(of: command).flatMap(JobAction.init) ?? .list
        let connection = try arguments.connection()
        let options = try JobOptions(&arguments, action)
        let operands = try arguments.operands(named: action.namesJob ? ["job ID"] : [])
        let id = try operands.first.map { text throws(UsageError) in
            try UsageError.parsing("invalid ID") { try NotificationHub.Job.ID(validating: text) }
        }
        let request = try options.request(action)
        let run = JobRun(hub: try connection.settings().hub(), options: options)
        return try await Interrupt.exitStatus {
            if let request { return try await run.submit(request) }
            guard let id else { return try await list(of: run.hub, asJSON: options.asJSON) }
            return try await HubFailure.about("job \"\(id)\"") {
                try await action == .get ? run.report(run.hub.job(id)) : run.wait(for: id)
            }
        }
    }

    private static func list(of hub: NotificationHub, asJSON: Bool) async throws -> ExitStatus {
        let jobs = try await hub.jobs()
        if asJSON || !Terminal.showsResults {
            for job in jobs { try Console.result(job.fields.object) }
        } else {
            try Console.result(jobs.map(\.description))
        }
        return .success
    }
}

/// An action of `nhub job`.
enum JobAction: String {
    case export, `import`, update, upsert, delete, list, get, wait

    /// Whether the action concerns one existing job.
    var namesJob: Bool { self == .get || self == .wait }
    /// Whether the action submits a job that reads a file.
    var readsFile: Bool { submits && self != .export }
    /// Whether the action submits a job.
    var submits: Bool { !namesJob && self != .list }
}

/// The options of `nhub job`.
struct JobOptions: Sendable {
    let container: NotificationHub.StorageURL?
    private let input: String?
    private let isWaiting: Bool
    /// The file for the job's output.
    let output: String?
    /// The file for the lines that failed.
    let failures: String?
    let asJSON: Bool

    /// Whether the command waits for the end of a job that it has submitted.
    var waits: Bool { isWaiting || output != nil || failures != nil }

    init(_ arguments: inout Arguments, _ action: JobAction) throws(UsageError) {
        container = try ContainerOptions.url(&arguments)
        input = try arguments.value(of: .input)
        output = try arguments.value(of: .output)
        failures = try arguments.value(of: .failures)
        isWaiting = arguments.flag(.wait)
        asJSON = arguments.flag(.json)
        let mayWait = action.submits || action == .wait
        let given: [(option: String, isGiven: Bool, isAllowed: Bool)] = [
            ("a container", container != nil, mayWait), ("--input", input != nil, action.readsFile),
            ("--wait", isWaiting, action.submits), ("--output", output != nil, mayWait),
            ("--failures", failures != nil, mayWait && action != .export),
        ]
        if let other = given.first(where: { $0.isGiven && !$0.isAllowed }) {
            throw UsageError("the action \(action) does not accept \(other.option)")
        }
        if action.submits || output != nil || failures != nil, container == nil {
            throw UsageError("missing container: pass --container-url-env or --container-url-file")
        }
        if action.readsFile, input == nil {
            throw UsageError("missing --input: pass the name of a file in the container")
        }
        for (option, path) in [(OptionName.output, output), (.failures, failures)] {
            guard let path else { continue }
            guard !path.isEmpty, path != "-" else { throw UsageError("\(option): expected the path of a file") }
            guard FileIdentity(path) == nil else {
                throw UsageError("\(option): the file exists: choose another file, or remove it")
            }
            try UsageError.parsing(option) { try AtomicFile.check(path: path) }
        }
        if let output, let failures, Self.place(of: output) == Self.place(of: failures) {
            throw UsageError("--output and --failures must be different files")
        }
    }

    /// Returns the directory and the name of a file that does not exist yet.
    private static func place(of path: String) -> (FileIdentity?, String) {
        let slash = path.lastIndex(of: "/")
        let directory = slash.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
        return (FileIdentity(directory), slash.map { String(path[path.index(after: $0)...]) } ?? path)
    }

    /// Returns the job that an action submits; `nil` if it submits none.
    func request(_ action: JobAction) throws(UsageError) -> NotificationHub.Job.Request? {
        guard action.submits, let container else { return nil }
        let file = try input.map { name throws(UsageError) in
            try UsageError.parsing(.input) { try container.blob(name) }
        }
        guard let file else { return .export(to: container) }
        return switch action {
        case .update: .update(from: file, results: container)
        case .upsert: .upsert(from: file, results: container)
        case .delete: .delete(from: file, results: container)
        default: .create(from: file, results: container)
        }
    }
}

import HubCommandLine
import HubText
import NotificationHubs

/// A command that submits a job or waits for one.
struct JobRun: Sendable {
    let hub: NotificationHub
    let options: JobOptions

    /// The time between two requests for a job's state.
    private static let interval = Duration.seconds(5)
    /// The time after which a wait gives up.
    private static let timeout = Duration.seconds(30 * 86_400)

    /// Submits a job, and waits for it if the options say so.
    func submit(_ request: NotificationHub.Job.Request) async throws -> ExitStatus {
        let job: NotificationHub.Job
        do {
            job = try await hub.submitJob(request)
        } catch let error as HubError where error.code == .mayHaveBeenAccepted || error.code == .invalidResponse {
            throw SubmissionUnknown(error: HubFailure(error))
        }
        guard options.waits else { return try report(job) }
        Console.error(
            "nhub: job \(job.id) submitted; after an interruption, run nhub job wait \(job.id) with the same container, "
                + "--output and --failures")
        return try await wait(for: job.id)
    }

    /// Waits until a job has ended, downloads its results, and reports its state.
    func wait(for id: NotificationHub.Job.ID) async throws -> ExitStatus {
        var last: NotificationHub.Job?
        for try await job in hub.progress(of: id, every: Self.interval, timeout: Self.timeout) {
            if last?.status != job.status || last?.progress != job.progress { Console.error("nhub: job \(job)") }
            last = job
        }
        guard let last, last.status.isTerminal else { throw StillRunning(id: id) }
        guard last.status == .completed else { return try report(last) }
        if let path = options.output { try await download(last.outputFilePath, "output", to: path) }
        return try report(last, failedByteCount: try await failedByteCount(of: last))
    }

    /// Reports a job's state.
    ///
    /// - Parameter failedByteCount: The size of the file of failed lines, if known.
    func report(_ job: NotificationHub.Job, failedByteCount: Int? = nil) throws -> ExitStatus {
        var fields = job.fields
        if let failedByteCount {
            fields.addMember { $0.add("failedBytes", Int64(failedByteCount)) }
            if failedByteCount > 0 {
                let place = options.failures ?? job.failedFilePath ?? "the container"
                fields.addLine("failed lines", "\(failedByteCount) bytes in \(place)")
            }
        }
        try fields.write(asJSON: options.asJSON)
        return job.status == .failed || failedByteCount ?? 0 > 0 ? .failure : .success
    }

    /// Returns the size of the file of failed lines, after downloading it if requested; `nil` if the job or the command has no such
    /// file.
    private func failedByteCount(of job: NotificationHub.Job) async throws -> Int? {
        guard let container = options.container, let blob = job.failedFilePath else { return nil }
        var byteCount = 0
        do {
            if let path = options.failures { return try await download(blob, "failed lines", to: path) }
            try await hub.readBlob(container.blob(resultPath: blob), partsOf: 1) { _, total in
                byteCount = total
                return false
            }
        } catch let error as HubError where error.code == .notFound {
            // Without failed lines, there can be no file.
        }
        return byteCount
    }

    /// Downloads one of a job's files, and returns its size.
    @discardableResult
    private func download(_ blob: String?, _ name: String, to path: String) async throws -> Int {
        guard let container = options.container, let blob else { throw NoResult(name: name) }
        let url = try container.blob(resultPath: blob)
        var byteCount = 0
        do {
            try await AtomicFile.write(to: path) { file in
                var progress = ProgressLine(total: nil, unit: "MB of the \(name)")
                defer { progress.end() }
                let start = ContinuousClock.now
                try await hub.readBlob(url) { bytes, _ in
                    try file.append(bytes)
                    byteCount += bytes.count
                    progress.show(finished: byteCount >> 20, now: ContinuousClock.now - start)
                    return true
                }
            }
        } catch let error as AppendedFile.WriteError {
            throw FileWriteError(what: path, reason: error)
        }
        return byteCount
    }

    /// An error for a job that may have been created.
    private struct SubmissionUnknown: Error, CustomStringConvertible {
        let error: HubFailure
        var description: String {
            "\(error); the job may have been created: run nhub job list before you submit it again"
        }
    }

    private struct StillRunning: Error, CustomStringConvertible {
        let id: NotificationHub.Job.ID
        var description: String { "job \(id) has not ended: run nhub job wait \(id) again" }
    }

    private struct NoResult: Error, CustomStringConvertible {
        let name: String
        var description: String { "the job has no \(name)" }
    }
}

extension NotificationHub.StorageURL {
    /// Returns the URL of a job's result in the container.
    ///
    /// - Parameter path: The path in the job's state, which starts with the container's name: `CONTAINER//HUB/ID/Output.txt`.
    func blob(resultPath path: String) throws(HubValidationError) -> NotificationHub.StorageURL {
        let container = String(self.path.split(separator: "/").last ?? "")
        let rest = path.hasPrefix(container + "/") ? path.dropFirst(container.count) : path[...]
        return try blob(String(rest.drop { $0 == "/" }))
    }
}

extension NotificationHub.Job {
    /// The job's state as lines and as a JSON object, without the signatures of URLs.
    var fields: Fields {
        var fields = Fields()
        fields.add("job", "jobId", id.rawValue)
        fields.add("type", "type", kind.rawValue)
        fields.add("status", "status", status.rawValue)
        fields.addLine("progress", "\(percentage) %")
        fields.addMember { $0.add("progress", literal: percentage) }
        fields.add("failure", "failure", failure)
        fields.add("created", "createdAt", createdAt.flatMap { Timestamp($0)?.text })
        fields.add("updated", "updatedAt", updatedAt.flatMap { Timestamp($0)?.text })
        fields.add("output", "outputFilePath", outputFilePath)
        fields.add("failure file", "failedFilePath", failedFilePath)
        return fields
    }
}

import NotificationHubs

extension VerifyStep {
    /// Feedback and jobs, whose responses name what is not the run's.
    static let others = [
        VerifyStep("feedback/container", [.manage], writes: false, keepsBodies: false) { run in
            _ = try await run.hub.feedbackContainer()
        },
        VerifyStep("jobs/list", [.manage], writes: false, keepsBodies: false) { run in _ = try await run.hub.jobs() },
        VerifyStep("jobs/export", [.manage], requests: 4, after: "installations/put-apns", keepsBodies: false) { run in
            guard let container = run.container else {
                throw StepSkipped("no container: pass --container-url-env or --container-url-file")
            }
            let job = try await run.hub.submitJob(.export(to: container))
            let ended = try await run.eventually("the end of the job") {
                let state = try await run.hub.job(job.id)
                return state.status.isTerminal ? state : nil
            }
            guard ended.status == .completed else {
                throw StepFailure("the job failed: \(ended.failure ?? "no reason")")
            }
            guard let path = ended.outputFilePath else { throw StepFailure("the job names no output file") }
            guard let line = try await firstLine(of: container.blob(resultPath: path), with: run.names.run, run.hub)
            else {
                throw StepFailure("the exported file lacks the run's registrations")
            }
            do {
                _ = try Registration.Description(line: line)
            } catch {
                throw StepFailure("an exported registration cannot be read: \(error)")
            }
        },
    ]

    /// Reads a file up to the first line that contains a string. Returns `nil` if no line does.
    private static func firstLine(
        of file: NotificationHub.StorageURL, with text: String, _ hub: NotificationHub
    ) async throws -> [UInt8]? {
        let lineEnd = UInt8(ascii: "\n")
        var rest: [UInt8] = []
        var (found, byteCount): ([UInt8]?, Int) = (nil, 0)
        try await hub.readBlob(file) { bytes, total in
            rest += bytes
            byteCount += bytes.count
            var lines = rest.split(separator: lineEnd)
            // The last line can continue in the next part.
            let last = byteCount < total && rest.last != lineEnd ? lines.popLast() : nil
            found = lines.first { $0.firstRange(of: text.utf8) != nil }.map(Array.init)
            rest = last.map(Array.init) ?? []
            guard rest.count <= XMLReader.maximumByteCount else {
                throw StepFailure("a line of the exported file has more than \(XMLReader.maximumByteCount) bytes")
            }
            return found == nil
        }
        return found
    }

    /// The deletion of everything that the run has written.
    static let removal = [
        VerifyStep("removal/installations", requests: 2 * installationNames.count) { run in
            try await VerifyCleanUp(run).removeInstallations()
        },
        // In the order of their IDs, which is random.
        VerifyStep("removal/registrations", requests: 4 * PushPlatform.all.count, keepsBodies: false) { run in
            try await VerifyCleanUp(run).removeRegistrations()
        },
        VerifyStep("removal/nothing-left", [.listen, .manage]) { run in
            try await VerifyCleanUp(run).checkRegistrations()
        },
    ]
}

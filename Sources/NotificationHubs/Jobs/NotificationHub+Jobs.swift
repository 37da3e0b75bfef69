extension NotificationHub {
    /// Has the service export or import registrations.
    ///
    /// ```swift
    /// let job = try await hub.submit(.export(to: container))
    /// for try await state in hub.progress(of: job.id) { print(state.status) }
    /// ```
    ///
    /// - Throws: ``HubError``, with the code ``HubError/Code/mayHaveBeenAccepted`` if no response tells: the service may work on
    ///   the job then, which ``jobs()`` tells.
    public func submit(_ job: Job.Request) async throws -> Job {
        let body: [UInt8]
        do {
            body = try XMLWriter.write(Atom.entry(job.xml))
        } catch {
            throw InvalidName(
                description: "\(error.element) has a character at byte \(error.offset) that XML cannot hold")
        }
        let response = try await send(
            .post, "jobs", headers: ["Content-Type": Atom.entryType], body: body, accepting: [200, 201])
        return try Self.job(response)
    }

    /// The job of an id.
    ///
    /// - Throws: ``HubError``, with the code ``HubError/Code/notFound`` if there is none.
    public func job(_ id: Job.ID) async throws -> Job {
        try Self.job(try await send(.get, "jobs", id.text, accepting: [200]))
    }

    /// The hub's jobs.
    ///
    /// - Throws: ``HubError``.
    public func jobs() async throws -> [Job] {
        let response = try await send(.get, "jobs", accepting: [200])
        do {
            return try Atom.entries(
                of: Atom.read(response.body, maximumByteCount: XMLReader.maximumListByteCount)
            ).map { entry throws(UnreadableXML) in
                try Job(xml: entry.element, at: entry.path)
            }
        } catch {
            throw HubError(response, unreadable: "the jobs", error)
        }
    }

    /// A job, asked for again and again until it has ended.
    ///
    /// - Parameters:
    ///   - id: the job's id.
    ///   - interval: how long to wait between an answer and the next question: ``JobSequence/minimumInterval`` at least.
    ///   - duration: after how long to end although the job has not, from the first question on.
    ///   - clock: what measures the time and sleeps.
    public func progress(
        of id: Job.ID, every interval: Duration = .seconds(30), for duration: Duration = .seconds(86_400),
        clock: some Clock<Duration> = ContinuousClock()
    ) -> JobSequence {
        JobSequence(
            poll: Poll(every: interval, for: duration, clock: clock, until: \.status.isTerminal) { try await job(id) })
    }

    private static func job(_ response: HubResponse) throws(HubError) -> Job {
        do {
            return try Job(xml: Atom.read(response.body))
        } catch {
            throw HubError(response, unreadable: "the job", error)
        }
    }
}

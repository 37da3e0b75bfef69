extension NotificationHub {
    /// Has the service export or import registrations.
    ///
    /// ```swift
    /// let job = try await hub.submitJob(.export(to: container))
    /// for try await state in hub.progress(of: job.id) { print(state.status) }
    /// ```
    ///
    /// - Throws: ``HubError``, with the code ``HubError/Code/mayHaveBeenAccepted`` if no response tells: the service may work on
    ///   the job then, which ``jobs()`` tells.
    public func submitJob(_ job: Job.Request) async throws -> Job {
        try await perform(
            Operation(
                "submitJob", .post, .jobs, headers: ["Content-Type": Atom.entryType], body: try Atom.bytes(job.xml),
                successes: [200, 201]
            ) { try Job($0) })
    }

    /// The job of an id.
    ///
    /// - Throws: ``HubError``, with the code ``HubError/Code/notFound`` if there is none.
    public func job(_ id: Job.ID) async throws -> Job {
        try await perform(Operation("job", .get, .job, id.rawValue) { try Job($0) })
    }

    /// The hub's jobs.
    ///
    /// - Throws: ``HubError``.
    public func jobs() async throws -> [Job] {
        try await perform(
            Operation("jobs", .get, .jobs) { response in
                do {
                    return try Atom.entries(
                        of: Atom.read(response.body, maximumByteCount: XMLReader.maximumListByteCount)
                    ).map { entry throws(UnreadableXML) in
                        try Job(xml: entry.element, at: entry.path)
                    }
                } catch let error as UnreadableXML {
                    throw HubError(response, unreadable: "the jobs", error)
                }
            })
    }

    /// A job, asked for again and again until it has ended.
    ///
    /// - Parameters:
    ///   - id: the job's id.
    ///   - interval: how long to wait between an answer and the next question: ``JobSequence/minimumInterval`` at least.
    ///   - timeout: after how long to end although the job has not, from the first question on.
    ///   - clock: what measures the time and sleeps.
    public func progress(
        of id: Job.ID, every interval: Duration = .seconds(30), timeout: Duration = .seconds(86_400),
        clock: some Clock<Duration> = ContinuousClock()
    ) -> JobSequence {
        JobSequence(
            poll: Poll(every: interval, for: timeout, clock: clock, until: \.status.isTerminal) { try await job(id) })
    }
}

extension NotificationHub.Job {
    fileprivate init(_ response: HubResponse) throws(HubError) {
        do {
            try self.init(xml: Atom.read(response.body))
        } catch {
            throw HubError(response, unreadable: "the job", error)
        }
    }
}

/// A job, asked for again and again.
///
/// Each answer is an element. The sequence ends behind a job that has ended (``NotificationHub/Job/Status/isTerminal``), and
/// when its time is over; so the last element tells which it was. A failure is thrown, and a cancellation at once, also from a
/// wait.
public struct JobSequence: AsyncSequence, Sendable {
    /// The shortest wait between two questions; a shorter one is made this long, so that nobody asks without a pause.
    public static let minimumInterval = Poll<NotificationHub.Job>.minimumInterval

    fileprivate let poll: Poll<NotificationHub.Job>

    init(poll: Poll<NotificationHub.Job>) {
        self.poll = poll
    }

    /// Begins to ask.
    public func makeAsyncIterator() -> Iterator {
        Iterator(poll: poll)
    }

    /// Asks for one state after the other.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate var poll: Poll<NotificationHub.Job>

        /// The job as it is now; `nil` at the end.
        ///
        /// - Throws: ``HubError``; `CancellationError` once the task is cancelled.
        public mutating func next() async throws -> NotificationHub.Job? {
            try await poll.next()
        }
    }
}

extension NotificationHub {
    /// Submits a job that exports or imports registrations.
    ///
    /// ```swift
    /// let job = try await hub.submitJob(.export(to: container))
    /// for try await state in hub.progress(of: job.id) { print(state.status) }
    /// ```
    ///
    /// - Throws: ``HubError``. With the codes ``HubError/Code/mayHaveBeenAccepted`` and ``HubError/Code/invalidResponse``, the
    ///   service may have created the job: check ``jobs()`` before you submit it again.
    public func submitJob(_ job: Job.Request) async throws -> Job {
        try await perform(
            Operation(
                "submitJob", .post, .jobs, headers: ["Content-Type": Atom.entryType], body: try Atom.bytes(job.xml),
                successes: [200, 201]
            ) { try Job($0) })
    }

    /// Returns a job.
    ///
    /// - Throws: ``HubError``, with the code ``HubError/Code/notFound`` if the job does not exist.
    public func job(_ id: Job.ID) async throws -> Job {
        try await perform(Operation("job", .get, .job, id.rawValue) { try Job($0) })
    }

    /// Returns all jobs of the hub.
    ///
    /// - Throws: ``HubError``.
    public func jobs() async throws -> [Job] {
        try await perform(
            Operation("jobs", .get, .jobs) { response in
                do {
                    return try Atom.entries(
                        of: Atom.read(response.body, maximumByteCount: XMLReader.maximumListByteCount)
                    ).map { entry throws(XMLContentError) in
                        try Job(xml: entry.element, at: entry.path)
                    }
                } catch let error as XMLContentError {
                    throw HubError(response, unreadable: "the jobs", error)
                }
            })
    }

    /// Returns a sequence that polls a job until it has ended.
    ///
    /// - Parameters:
    ///   - id: The job's ID.
    ///   - interval: The time from a response to the next request; at least ``JobSequence/minimumInterval``.
    ///   - timeout: The time from the first request after which the sequence ends without a terminal state.
    ///   - clock: The clock that measures the times.
    public func progress(
        of id: Job.ID, every interval: Duration = .seconds(30), timeout: Duration = .seconds(86_400),
        clock: some Clock<Duration> = ContinuousClock()
    ) -> JobSequence {
        JobSequence(
            poll: Poll(every: interval, timeout: timeout, clock: clock, until: \.status.isTerminal) {
                try await job(id)
            })
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

/// A sequence of the states of a job.
///
/// The sequence polls the job. It ends after a terminal state (``NotificationHub/Job/Status/isTerminal``) or at its timeout:
/// check the last element's status. Cancelling the task also ends a wait.
public struct JobSequence: AsyncSequence, Sendable {
    /// The shortest time between requests. Shorter intervals are increased to it.
    public static let minimumInterval = Poll<NotificationHub.Job>.minimumInterval

    fileprivate let poll: Poll<NotificationHub.Job>

    init(poll: Poll<NotificationHub.Job>) {
        self.poll = poll
    }

    /// Creates an iterator, which sends no request before its first element is awaited.
    public func makeAsyncIterator() -> Iterator {
        Iterator(poll: poll)
    }

    /// An iterator over the states of a job.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate var poll: Poll<NotificationHub.Job>

        /// Returns the job's current state, or `nil` at the end.
        ///
        /// - Throws: ``HubError``, or `CancellationError` when the task is cancelled.
        public mutating func next() async throws -> NotificationHub.Job? {
            try await poll.next()
        }
    }
}

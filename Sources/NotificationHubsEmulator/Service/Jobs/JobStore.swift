import HubText
import NotificationHubs

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A hub's latest 1000 jobs.
struct JobStore: Sendable {
    static let maximumCount = 1000
    /// The jobs in the order of their IDs, which is also the order in which they are due.
    private(set) var jobs: [StoredJob] = []
    /// The estimated memory size in bytes.
    var byteCount: Int { jobs.count * StoredJob.byteCount }
    /// The number of finished jobs, which precede all others.
    private var finishedCount = 0
    /// The ID of the last job.
    private(set) var count = 0

    subscript(id: String) -> StoredJob? { jobs.first { $0.id.hasSameBytes(as: id) } }

    /// Adds a job with the next ID. If there are too many, the oldest finished one is removed.
    mutating func add(_ request: JobRequest, now: Date, due: Date) throws(ServiceError) -> StoredJob {
        if jobs.count == Self.maximumCount {
            guard finishedCount > 0 else {
                throw ServiceError(
                    403, "too many unfinished jobs (allowed by the emulator: at most \(Self.maximumCount))")
            }
            jobs.removeFirst()
            finishedCount -= 1
        }
        count += 1
        let job = StoredJob(id: "\(count)", request, now: now, due: due)
        jobs.append(job)
        return job
    }

    /// Adds a job of a snapshot.
    ///
    /// - Returns: Whether the job can follow the others: IDs increase, and finished jobs precede all others.
    mutating func restore(_ job: StoredJob, number: Int) -> Bool {
        guard number > jobs.last.flatMap({ Int($0.id) }) ?? 0, jobs.count < Self.maximumCount,
            job.status == .started || finishedCount == jobs.count
        else { return false }
        jobs.append(job)
        if job.status != .started { finishedCount += 1 }
        advance(to: number)
        return true
    }

    /// Ensures that the IDs up to a number are not used again.
    mutating func advance(to number: Int) {
        count = max(count, number)
    }

    /// The time at which the next unfinished job is due; `nil` if all are finished.
    var nextDue: Date? { finishedCount < jobs.count ? jobs[finishedCount].due : nil }

    /// Returns the next unfinished job; `nil` if none is due by a time.
    func next(until date: Date) -> StoredJob? {
        guard let nextDue, nextDue <= date else { return nil }
        return jobs[finishedCount]
    }

    /// Replaces the next unfinished job with its finished form.
    mutating func finish(_ job: StoredJob) {
        jobs[finishedCount] = job
        finishedCount += 1
    }

    /// Removes all jobs. Their IDs are not reused.
    mutating func removeAll() {
        (jobs, finishedCount) = ([], 0)
    }
}

/// An export or import job in the hub.
struct StoredJob: Sendable {
    /// The paths of a job's results, which start with the container's name.
    struct Results: Sendable {
        let output: String
        var failed: String?
    }

    /// The estimated memory size of a job with long URLs, in bytes.
    static let byteCount = 1024 + 2 * JobRequest.maximumURLLength

    let id: String
    let request: JobRequest
    let createdAt: Date
    /// The time at which the job runs.
    let due: Date
    private(set) var updatedAt: Date
    private(set) var status = NotificationHub.Job.Status.started
    private(set) var results: Results?
    private(set) var failure: String?

    init(id: String, _ request: JobRequest, now: Date, due: Date) {
        (self.id, self.request, createdAt, updatedAt, self.due) = (id, request, now, now, due)
    }

    /// Marks the job as completed at its due time.
    mutating func complete(_ results: Results) {
        (status, self.results, updatedAt) = (.completed, results, due)
    }

    /// Marks the job as failed at its due time.
    mutating func fail(_ reason: String) {
        (status, failure, updatedAt) = (.failed, reason, due)
    }
}

/// A client's request for an export or import.
struct JobRequest: Sendable {
    let kind: NotificationHub.Job.Kind
    /// The URL of the output container, with its signature.
    let outputContainer: String
    /// The URL of the file to import, with its signature; `nil` for an export.
    let importFile: String?

    static let maximumURLLength = 4096

    private static let kinds: [NotificationHub.Job.Kind] = [.export, .create, .update, .upsert, .delete]
    /// The element names in the order of the service's data contract.
    static let elementNames = [
        "JobId", "Progress", "Type", "Status", "OutputContainerUri", "ImportFileUri", "InputProperties", "Failure",
        "OutputProperties", "CreatedAt", "UpdatedAt",
    ]

    /// Creates a job request from the body of an HTTP request.
    init(_ body: [UInt8]) throws(ServiceError) {
        let xml: XMLElement
        do {
            xml = try Atom.description(in: Atom.read(body))
        } catch {
            throw .badRequest("invalid job: \(error)")
        }
        guard xml.localName == "NotificationHubJob" else {
            throw .badRequest("invalid job: expected the element NotificationHubJob, got \(xml.localName)")
        }
        try xml.checkOrder(Self.elementNames, of: "job")
        try self.init(
            kind: xml["Type"]?.content, outputContainer: xml["OutputContainerUri"]?.content,
            importFile: xml["ImportFileUri"]?.content)
    }

    /// Creates a job request from its elements.
    init(kind: String?, outputContainer: String?, importFile: String?) throws(ServiceError) {
        guard let kind = Self.kinds.first(where: { $0.rawValue.hasSameBytes(as: kind ?? "") }) else {
            throw .badRequest(
                "invalid job: missing or unknown Type (allowed: \(Self.kinds.map(\.rawValue).joined(separator: ", ")))")
        }
        self.kind = kind
        guard let outputContainer else { throw .badRequest("invalid job: missing OutputContainerUri") }
        self.outputContainer = outputContainer
        self.importFile = importFile
        guard (importFile == nil) == (kind == .export) else {
            throw .badRequest("invalid job: an import requires ImportFileUri, and an export must not have it")
        }
        guard [outputContainer, importFile ?? ""].allSatisfy({ $0.utf8.count <= Self.maximumURLLength }) else {
            throw .badRequest("invalid job: a URL is too long (allowed: at most \(Self.maximumURLLength) bytes)")
        }
    }
}

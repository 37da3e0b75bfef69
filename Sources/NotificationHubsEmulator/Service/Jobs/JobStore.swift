import NotificationHubs

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The jobs that a hub was given: the latest thousand.
struct JobStore: Sendable {
    private static let maximumCount = 1000
    /// In the order of their ids, which is that in which they are due.
    private(set) var jobs: [HeldJob] = []
    /// How many of these, from the first on, have ended.
    private var endedCount = 0
    private var count = 0

    subscript(id: String) -> HeldJob? { jobs.first { $0.id.utf8.elementsEqual(id.utf8) } }

    mutating func add(_ order: JobOrder, now: Date, due: Date) -> HeldJob {
        count += 1
        let job = HeldJob(id: "\(count)", order, now: now, due: due)
        jobs.append(job)
        if jobs.count > Self.maximumCount {
            jobs.removeFirst()
            endedCount = max(0, endedCount - 1)
        }
        return job
    }

    /// The next job to be carried out, if it is due.
    func next(until date: Date) -> HeldJob? {
        guard endedCount < jobs.count, jobs[endedCount].due <= date else { return nil }
        return jobs[endedCount]
    }

    /// The job that was next has ended.
    mutating func end(_ job: HeldJob) {
        jobs[endedCount] = job
        endedCount += 1
    }

    /// Forgets the jobs. Their ids are not given again.
    mutating func removeAll() {
        (jobs, endedCount) = ([], 0)
    }
}

/// An export or import that the hub was given.
struct HeldJob: Sendable {
    /// Where its results are: paths that begin with the container's name.
    struct Results: Sendable {
        let output: String
        var failed: String?
    }

    let id: String
    let order: JobOrder
    let createdAt: Date
    /// When it is carried out.
    let due: Date
    private(set) var updatedAt: Date
    private(set) var status = NotificationHub.Job.Status.started
    private(set) var results: Results?
    private(set) var failure: String?

    init(id: String, _ order: JobOrder, now: Date, due: Date) {
        (self.id, self.order, createdAt, updatedAt, self.due) = (id, order, now, now, due)
    }

    /// It was carried out when it was due.
    mutating func complete(_ results: Results) {
        (status, self.results, updatedAt) = (.completed, results, due)
    }

    /// It could not be carried out when it was due.
    mutating func fail(_ reason: String) {
        (status, failure, updatedAt) = (.failed, reason, due)
    }
}

/// What a client wants to be exported or imported.
struct JobOrder: Sendable {
    let kind: NotificationHub.Job.Kind
    /// URLs as they were sent, with what opens them.
    let outputContainer: String
    let importFile: String?

    private static let kinds: [NotificationHub.Job.Kind] = [.export, .create, .update, .upsert, .delete]
    /// The elements in the order of the service's data contract.
    static let elementNames = [
        "JobId", "Progress", "Type", "Status", "OutputContainerUri", "ImportFileUri", "InputProperties", "Failure",
        "OutputProperties", "CreatedAt", "UpdatedAt",
    ]

    /// Reads a request's body.
    init(_ body: [UInt8]) throws(ServiceRefusal) {
        let xml: XMLElement
        do {
            xml = try Atom.description(in: Atom.read(body))
        } catch {
            throw .badRequest("The job cannot be read: \(error)")
        }
        guard xml.localName == "NotificationHubJob" else {
            throw .badRequest("The job cannot be read: the content is no NotificationHubJob")
        }
        try xml.checkOrder(Self.elementNames, of: "job", allowsOthers: false)
        guard let kind = Self.kinds.first(where: { $0.rawValue == xml["Type"]?.content }) else {
            throw .badRequest("The job's Type is one of \(Self.kinds.map(\.rawValue).joined(separator: ", "))")
        }
        self.kind = kind
        guard let outputContainer = xml["OutputContainerUri"]?.content else {
            throw .badRequest("The job has no OutputContainerUri")
        }
        self.outputContainer = outputContainer
        importFile = xml["ImportFileUri"]?.content
        guard (importFile == nil) == (kind == .export) else {
            throw .badRequest("A job that imports has an ImportFileUri, and one that exports has none")
        }
        guard [outputContainer, importFile ?? ""].allSatisfy({ $0.utf8.count <= 4096 }) else {
            throw .badRequest("The job's URLs have 4096 bytes at most")
        }
    }
}

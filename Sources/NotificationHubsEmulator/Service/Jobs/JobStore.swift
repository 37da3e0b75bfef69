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

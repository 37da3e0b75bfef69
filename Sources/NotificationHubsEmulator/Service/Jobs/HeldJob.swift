import NotificationHubs

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

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

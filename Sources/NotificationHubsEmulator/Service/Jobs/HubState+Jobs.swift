import NotificationHubs

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension HubState {
    /// Takes a job, to be carried out when it is due.
    mutating func submitJob(_ call: ServiceCall, due: Date) throws(ServiceRefusal) -> HubResponse {
        try Self.checkTier(call)
        let job = jobs.add(try JobOrder(call.request.body), now: call.now, due: due)
        var response = try JobAnswer(call: call).entry(job)
        response.status = 201
        response.headers["Location"] = call.location("jobs", job.id)
        return response
    }

    func getJob(_ id: String, _ call: ServiceCall) throws(ServiceRefusal) -> HubResponse {
        try Self.checkTier(call)
        guard let job = jobs[id] else { throw ServiceRefusal(404, "The job was not found") }
        return try JobAnswer(call: call).entry(job)
    }

    func listJobs(_ call: ServiceCall) throws(ServiceRefusal) -> HubResponse {
        try Self.checkTier(call)
        return try JobAnswer(call: call).feed(jobs.jobs)
    }

    private static func checkTier(_ call: ServiceCall) throws(ServiceRefusal) {
        guard call.tier == .standard else { throw .tier("Export and import of registrations") }
    }

    mutating func carryOutJobs(until date: Date) {
        while var job = jobs.next(until: date) {
            do throws(HubEmulator.BlobError) {
                job.complete(try carryOut(job))
            } catch {
                job.fail(error.description)
            }
            jobs.end(job)
        }
    }

    private mutating func carryOut(_ job: HeldJob) throws(HubEmulator.BlobError) -> HeldJob.Results {
        let container = try blobs.own(job.order.outputContainer, "OutputContainerUri")
        let folder = "\(blobs.hubName)/\(job.id)"
        // As the service says it.
        let path = "\(container.container)//\(folder)"
        guard let importFile = job.order.importFile else {
            try blobs.put(exportedRegistrations(), at: container.blob("\(folder)/Output.txt"))
            return HeldJob.Results(output: "\(path)/Output.txt")
        }
        let file = try blobs.bytes(at: blobs.own(importFile, "ImportFileUri"))
        let (done, failed) = importRegistrations(job.order.kind, file)
        try blobs.put(done, at: container.blob("\(folder)/Output.txt"))
        try blobs.put(failed, at: container.blob("\(folder)/Failed.txt"))
        return HeldJob.Results(output: "\(path)/Output.txt", failed: "\(path)/Failed.txt")
    }
}

extension BlobStore {
    /// What a job's URL leads to.
    fileprivate func own(_ url: String, _ element: String) throws(BlobError) -> BlobAddress {
        guard let address = BlobAddress(url: url), (try? blobs(at: address)) != nil else {
            throw BlobError(
                403, "AuthenticationFailed",
                "\(element) leads to no container of the emulator's own, or its sig does not open it: the emulator "
                    + "reaches no other storage, and POST \(Control.prefix)/containers makes one")
        }
        return address
    }
}

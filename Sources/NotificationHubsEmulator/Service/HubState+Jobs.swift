import NotificationHubs

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension HubState {
    /// Takes a job, to be carried out when it is due.
    mutating func submitJob(_ call: ServiceCall) throws(ServiceRefusal) -> HubResponse {
        try Self.checkTier(call)
        let job = jobs.add(try JobOrder(call.request.body), now: call.now, due: call.due)
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
                    + "reaches no other storage, and POST \(BlobAddress.prefix)/containers makes one")
        }
        return address
    }
}

extension HubState {
    /// All registrations, those that installations are among them, each in a line.
    func exportedRegistrations() -> [UInt8] {
        registrationCandidates(for: nil).flatMap(Self.line)
    }

    /// Does with the registration of each line what an import is to do.
    ///
    /// - Returns: the registrations as they are then, each in a line, and why others have failed.
    mutating func importRegistrations(
        _ kind: NotificationHub.Job.Kind, _ file: [UInt8]
    ) -> (done: [UInt8], failed: [UInt8]) {
        var (done, failed): ([UInt8], [UInt8]) = ([], [])
        let mark: [UInt8] = [0xef, 0xbb, 0xbf]
        let lines = file.dropFirst(file.starts(with: mark) ? mark.count : 0)
            .split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        for (index, line) in lines.enumerated() where !line.allSatisfy({ $0 <= 0x20 }) {
            do throws(ServiceRefusal) {
                done += Self.line(try apply(try RegistrationBody.read(line: Array(line)), kind))
            } catch {
                failed += Array("line \(index + 1): \(error.text)\n".utf8)
            }
        }
        return (done, failed)
    }

    private mutating func apply(
        _ description: Registration.Description, _ kind: NotificationHub.Job.Kind
    ) throws(ServiceRefusal) -> HeldRegistration {
        let old = description.id.flatMap { registrations.entries[$0] }
        switch (kind, old) {
        case (.create, _?):
            throw ServiceRefusal(409, "There is a registration of this RegistrationId")
        case (.update, nil), (.delete, nil):
            throw ServiceRefusal(404, "There is no registration of this RegistrationId")
        case (.delete, let old?):
            registrations.remove(old.id)
            return old
        default:
            return try put(description.registration, id: description.id ?? registrations.newID())
        }
    }

    private static func line(_ entry: HeldRegistration) -> [UInt8] {
        // What cannot be written was not taken.
        guard let bytes = try? entry.description(expirationTime: ServiceTime.neverText, inOneLine: true) else {
            return []
        }
        return bytes + [UInt8(ascii: "\n")]
    }
}

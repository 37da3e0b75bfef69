import NotificationHubs

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension HubState {
    /// Queues a job.
    mutating func submitJob(_ call: ServiceCall) throws(ServiceError) -> HubResponse {
        try Self.checkTier(call)
        let job = try jobs.add(try JobRequest(call.request.body), now: call.now, due: call.due)
        var response = try JobResponse(call: call).entry(job)
        response.status = 201
        response.headers["Location"] = call.location("jobs", job.id)
        return response
    }

    func getJob(_ id: String, _ call: ServiceCall) throws(ServiceError) -> HubResponse {
        try Self.checkTier(call)
        guard let job = jobs[id] else { throw ServiceError(404, "job not found") }
        var response = try JobResponse(call: call).entry(job)
        // The service appends the ID to the request's path.
        response.headers["Content-Location"] = call.location("jobs", "\(id)/\(id)")
        return response
    }

    func listJobs(_ call: ServiceCall) throws(ServiceError) -> HubResponse {
        try Self.checkTier(call)
        return try JobResponse(call: call).feed(jobs.jobs)
    }

    private static func checkTier(_ call: ServiceCall) throws(ServiceError) {
        guard call.tier == .standard else { throw .unavailableInTier("Registration export and import") }
    }

    /// Runs the jobs that are due at a time.
    mutating func runJobs(until date: Date) {
        while var job = jobs.next(until: date) {
            do throws(HubEmulator.BlobError) {
                job.complete(try run(job, now: date))
            } catch {
                job.fail(error.description)
            }
            jobs.finish(job)
        }
    }

    private mutating func run(_ job: StoredJob, now: Date) throws(HubEmulator.BlobError) -> StoredJob.Results {
        let container = try blobs.address(of: job.request.outputContainer, element: "OutputContainerUri")
        let folder = "\(blobs.hubName)/\(job.id)"
        // The service writes a double slash here.
        let path = "\(container.container)//\(folder)"
        guard let importFile = job.request.importFile else {
            try blobs.put(exportedRegistrations(), at: container.blob("\(folder)/Output.txt"), now: now)
            return StoredJob.Results(output: "\(path)/Output.txt")
        }
        let file = try blobs.bytes(at: blobs.address(of: importFile, element: "ImportFileUri"))
        let (done, failed) = importRegistrations(job.request.kind, file)
        try blobs.put(done, at: container.blob("\(folder)/Output.txt"), now: now)
        try blobs.put(failed, at: container.blob("\(folder)/Failed.txt"), now: now)
        return StoredJob.Results(output: "\(path)/Output.txt", failed: "\(path)/Failed.txt")
    }
}

extension BlobStore {
    /// Returns the address that a job's URL refers to.
    ///
    /// - Parameters:
    ///   - url: The URL in the job.
    ///   - element: The name of the job's element, for the error message.
    fileprivate func address(of url: String, element: String) throws(BlobError) -> BlobAddress {
        guard let address = BlobAddress(url: url), (try? checkSignature(address)) != nil else {
            throw BlobError(
                403, "AuthenticationFailed",
                "\(element) must be the URL of a container of this emulator, with its sig: "
                    + "create one with POST \(BlobAddress.prefix)/containers")
        }
        return address
    }
}

extension HubState {
    /// Returns all registrations, including those of installations, one per line.
    func exportedRegistrations() -> [UInt8] {
        allRegistrations.flatMap(Self.line)
    }

    /// Imports a file with one registration per line.
    ///
    /// - Returns: The imported registrations and the errors of the other lines, one per line.
    mutating func importRegistrations(
        _ kind: NotificationHub.Job.Kind, _ file: [UInt8]
    ) -> (done: [UInt8], failed: [UInt8]) {
        var (done, failed): ([UInt8], [UInt8]) = ([], [])
        let byteOrderMark: [UInt8] = [0xef, 0xbb, 0xbf]
        let lines = file.dropFirst(file.starts(with: byteOrderMark) ? byteOrderMark.count : 0)
            .split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        for (index, line) in lines.enumerated() where !line.allSatisfy({ $0 <= 0x20 }) {
            do throws(ServiceError) {
                try checkMemory()
                done += Self.line(try apply(try RegistrationBody.read(line: Array(line)), kind))
            } catch {
                failed += Array("line \(index + 1): \(error.detail)\n".utf8)
            }
        }
        return (done, failed)
    }

    private mutating func apply(
        _ description: Registration.Description, _ kind: NotificationHub.Job.Kind
    ) throws(ServiceError) -> StoredRegistration {
        let old = description.id.flatMap(stored)
        switch (kind, old) {
        case (.create, _?):
            throw ServiceError(409, "a registration with this RegistrationId already exists")
        case (.update, nil), (.delete, nil):
            throw ServiceError(404, "no registration has this RegistrationId")
        case (.delete, let old?):
            removeRegistration(old.id)
            return old
        default:
            return try put(description.registration, id: description.id ?? registrations.newID())
        }
    }

    private static func line(_ entry: StoredRegistration) -> [UInt8] {
        // A registration that cannot be written was rejected when it was stored.
        guard let bytes = try? entry.description(expirationTime: ServiceTime.neverText, inOneLine: true) else {
            return []
        }
        return bytes + [UInt8(ascii: "\n")]
    }
}

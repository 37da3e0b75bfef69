import HubText
import NotificationHubs

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension HubState {
    typealias SnapshotError = HubEmulator.SnapshotError

    /// Calls a closure with the JSON of each item of a snapshot, in a fixed order.
    func forEachItem(_ body: (SnapshotLine.Kind, JSONObject) -> Void) {
        for installation in store.candidates(for: nil) { body(.installation, json(installation.value)) }
        // A registration that cannot be written was rejected when it was stored.
        for entry in registrations.candidates(for: nil) {
            guard let xml = try? entry.description(expirationTime: ServiceTime.neverText) else { continue }
            body(.registration, ["xml": .string(String(decoding: xml, as: UTF8.self))])
        }
        for id in registrations.deletedIDs.sorted() { body(.deletedRegistration, ["id": .string(id.rawValue)]) }
        for (record, due) in notifications.scheduledRecords { body(.scheduledMessage, Self.json(record, due: due)) }
        for job in jobs.jobs { body(.job, job.json) }
        for (name, container) in blobs.containers.sorted(by: { $0.key < $1.key }) {
            var item: JSONObject = ["name": .string(name), "signature": .string(container.signature)]
            item["modified"] = .seconds(container.version.modified)
            item["headers"] = Self.json(container.headers)
            body(.container, item)
            for blobName in container.names {
                guard let blob = container.blobs[blobName] else { continue }
                let encodedName = String(decoding: PercentEncoding.rfc3986.encode(blobName), as: UTF8.self)
                var item: JSONObject = ["container": .string(name), "name": .string(encodedName)]
                item["base64"] = .string(Data(blob.bytes).base64EncodedString())
                item["modified"] = .seconds(blob.version.modified)
                item["headers"] = Self.json(blob.headers)
                body(.blob, item)
            }
        }
        for channel in rejectedChannels.channels {
            body(
                .rejectedChannel,
                ["platform": .string(channel.platform.rawValue), "handle": .string(channel.handle)])
        }
    }

    /// Adds an item of a snapshot.
    mutating func add(_ kind: SnapshotLine.Kind, _ line: inout SnapshotLine) throws(SnapshotError) {
        switch kind {
        case .installation: try addInstallation(&line)
        case .registration: try addRegistration(&line)
        case .deletedRegistration:
            let id = try Self.registrationID(try line.string("id"), line)
            guard registrations.entries[id] == nil else { throw line.error("the registration exists") }
            registrations.addDeleted(id)
        case .scheduledMessage: try addScheduledMessage(&line)
        case .job: try addJob(&line)
        case .container: try addContainer(&line)
        case .blob: try addBlob(&line)
        case .rejectedChannel:
            let platform = PushPlatform(rawValue: try line.string("platform"))
            guard rejectedChannels.insert(PushChannel(platform: platform, handle: try line.string("handle"))) else {
                throw line.error("too many rejected channels (allowed: at most \(RejectedChannels.maximumCount))")
            }
        case .hub, .end: break
        }
    }

    private static func registrationID(
        _ text: String, _ line: SnapshotLine
    ) throws(SnapshotError) -> Registration.ID {
        try line.parse("registration ID") { try Registration.ID(validating: text) }
    }
}

// The items are strings in the service's formats: a nested object could exceed the parser's depth.
extension HubState {
    private func json(_ installation: Installation) -> JSONObject {
        let derived = store.derivedRegistrations(of: installation.id)
        var object: JSONObject = [
            "json": .string(String(decoding: installation.json, as: UTF8.self)),
            "version": .number(.init(derived.version)),
        ]
        if !derived.deletedIDs.isEmpty {
            object["deletedRegistrations"] = .strings(derived.deletedIDs.sorted().map(\.rawValue))
        }
        object["pushChannel"] = installation.pushChannel.sourceJSON.map { .string(String(decoding: $0, as: UTF8.self)) }
        let updated = derived.updated.values.sorted { $0.id < $1.id }.compactMap { entry in
            try? entry.description(expirationTime: ServiceTime.neverText)
        }
        if !updated.isEmpty {
            object["updatedRegistrations"] = .strings(updated.map { String(decoding: $0, as: UTF8.self) })
        }
        return object
    }

    private mutating func addInstallation(_ line: inout SnapshotLine) throws(SnapshotError) {
        let json = try line.string("json")
        var installation = try line.parse("installation") {
            try Installation(json: json.utf8).checkedByService(.none)
        }
        guard installations[installation.id] == nil else { throw line.error("duplicate installation ID") }
        if let source = try line.optionalString("pushChannel") {
            guard (try? JSONValue(parsing: source.utf8)) != nil else {
                throw line.error("invalid pushChannel: expected JSON")
            }
            installation.pushChannel.setSource(Array(source.utf8))
        }
        var derived = InstallationStore.DerivedRegistrations()
        derived.version = try line.integer("version", from: 1)
        for text in try line.strings("deletedRegistrations") {
            derived.deletedIDs.insert(try Self.registrationID(text, line))
        }
        for text in try line.strings("updatedRegistrations") {
            let entry = try Self.storedRegistration(text, line)
            derived.updated[entry.id] = StoredRegistration(
                fromInstallation: entry.registration, id: entry.id, version: entry.version)
        }
        store.put(installation, derived)
    }

    private mutating func addRegistration(_ line: inout SnapshotLine) throws(SnapshotError) {
        let entry = try Self.storedRegistration(try line.string("xml"), line)
        guard registrations.entries[entry.id] == nil, !registrations.deletedIDs.contains(entry.id) else {
            throw line.error("duplicate registration ID")
        }
        registrations.put(entry)
    }

    /// Parses a registration with its ID and version.
    private static func storedRegistration(
        _ text: String, _ line: SnapshotLine
    ) throws(SnapshotError) -> StoredRegistration {
        let xml = Array(text.utf8)
        // A stored registration can be longer than the request that created it, because more characters are escaped.
        let description = try line.parse {
            try RegistrationBody.read(line: xml, maximumByteCount: xml.count)
        }
        guard let id = description.id, let version = description.entityTag.flatMap({ Int32($0.rawValue) }), version > 0
        else { throw line.error("invalid registration: expected RegistrationId and a positive ETag") }
        return StoredRegistration(id: id, registration: description.registration, version: Int(version))
    }
}

extension HubState {
    private static func json(_ record: NotificationRecord, due: Date) -> JSONObject {
        var object: JSONObject = [
            "id": .string("\(record.id)"), "location": .string(record.location),
            "format": .string(record.message.format.name), "headers": .object(JSONObject(record.message.headers)),
            "body": .string(record.message.body),
        ]
        object["tags"] = record.tags.map { .string($0) }
        object["enqueueTime"] = .seconds(record.enqueueTime)
        object["due"] = .seconds(due)
        return object
    }

    private mutating func addScheduledMessage(_ line: inout SnapshotLine) throws(SnapshotError) {
        let idText = try line.string("id")
        let id = try line.parse("id") { try PushNotification.ID(validating: idText) }
        guard notifications[id] == nil else { throw line.error("duplicate ID of a scheduled message") }
        guard let format = MessageFormat(name: try line.string("format")) else { throw line.error("unknown format") }
        let tags = try line.optionalString("tags") ?? ""
        let audience = try line.parse { try Audience(tags) }
        let message = Message(
            format: format, body: try line.string("body"), headers: try line.dictionary("headers"))
        let record = NotificationRecord(
            id: id, location: try line.string("location"), message: message, tags: audience.text,
            enqueueTime: try line.date("enqueueTime"))
        let due = try line.date("due")
        try line.parse { try notifications.schedule(record, audience, due: due) }
    }

    private mutating func addJob(_ line: inout SnapshotLine) throws(SnapshotError) {
        let number = try line.integer("id", from: 1)
        let (kind, container) = (try line.string("type"), try line.string("outputContainer"))
        let file = try line.optionalString("importFile")
        let request = try line.parse {
            try JobRequest(kind: kind, outputContainer: container, importFile: file)
        }
        var job = StoredJob(
            id: "\(number)", request, now: try line.date("createdAt"), due: try line.date("due"))
        let (output, failure) = (try line.optionalString("output"), try line.optionalString("failure"))
        let failed = try line.optionalString("failed")
        switch (output, failure) {
        case (let output?, nil): job.complete(StoredJob.Results(output: output, failed: failed))
        case (nil, let failure?) where failed == nil: job.fail(failure)
        case (nil, nil) where failed == nil: break
        default: throw line.error("invalid job: expected output, failure or neither")
        }
        guard jobs.restore(job, number: number) else {
            let limit = "at most \(JobStore.maximumCount) are allowed"
            throw line.error("unexpected job: IDs must increase, finished jobs come first, and \(limit)")
        }
    }
}

extension StoredJob {
    fileprivate var json: JSONObject {
        var object: JSONObject = [
            "type": .string(request.kind.rawValue), "outputContainer": .string(request.outputContainer),
        ]
        object["id"] = JSONNumber(id).map { .number($0) }
        object["importFile"] = request.importFile.map { .string($0) }
        object["createdAt"] = .seconds(createdAt)
        object["due"] = .seconds(due)
        object["output"] = (results?.output).map { .string($0) }
        object["failed"] = (results?.failed).map { .string($0) }
        object["failure"] = failure.map { .string($0) }
        return object
    }
}

extension HubState {
    /// The time of a write that an older snapshot omits.
    private static let unknownTime = Date(timeIntervalSince1970: 0)

    private static func json(_ headers: HubHeaders) -> JSONValue {
        .object(JSONObject(Dictionary(headers.map { ($0.name, $0.value) }) { $1 }))
    }

    /// Removes and returns the headers of a container or a blob, which an older snapshot omits.
    private static func headers(_ line: inout SnapshotLine) throws(SnapshotError) -> HubHeaders {
        let fields = try line.dictionary("headers").sorted { $0.key < $1.key }.map { (name: $0.key, value: $0.value) }
        let headers = HubHeaders(fields)
        guard Array(headers).count == fields.count, fields.allSatisfy({ $0.value.utf8.allSatisfy { $0 < 0x80 } }) else {
            throw line.error("invalid headers: expected distinct names, and ASCII values without control characters")
        }
        try line.parse { _ = try BlobHeaders.metadata(headers) }
        return headers
    }

    private mutating func addContainer(_ line: inout SnapshotLine) throws(SnapshotError) {
        let (name, signature) = (try line.string("name"), try line.string("signature"))
        guard blobs.containers[name] == nil else { throw line.error("duplicate container name") }
        guard !signature.isEmpty, signature.utf8.allSatisfy(\.isASCIILetterOrDigit) else {
            throw line.error("invalid signature: expected letters and digits")
        }
        let (modified, headers) = (try line.optionalDate("modified") ?? Self.unknownTime, try Self.headers(&line))
        try line.parse {
            _ = try blobs.makeContainer(named: name, signature: signature, now: modified)
            try blobs.setHeaders(headers, ofContainer: name, now: modified)
        }
    }

    private mutating func addBlob(_ line: inout SnapshotLine) throws(SnapshotError) {
        let (container, encodedName) = (try line.string("container"), try line.string("name"))
        guard blobs.containers[container] != nil else {
            throw line.error("unknown container: its line must precede those of its blobs")
        }
        let name = PercentDecoded(encodedName.utf8).bytes
        guard blobs.containers[container]?.blobs[name] == nil else { throw line.error("duplicate blob name") }
        guard let data = Data(base64Encoded: try line.string("base64")) else { throw line.error("invalid base64") }
        let modified = try line.optionalDate("modified") ?? Self.unknownTime
        var headers = try Self.headers(&line)
        if headers["Content-Type"] == nil { headers["Content-Type"] = BlobStore.defaultType }
        try line.parse { try blobs.put(Array(data), headers: headers, name, in: container, now: modified) }
    }
}

import NotificationHubs

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

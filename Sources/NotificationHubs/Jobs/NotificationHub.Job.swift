#if canImport(FoundationEssentials)
public import struct FoundationEssentials.Date
#else
public import struct Foundation.Date
#endif

extension NotificationHub {
    /// An export or import of registrations that runs in the service. Requires the Standard tier.
    ///
    /// Source: [Export and import registrations in
    /// bulk](https://learn.microsoft.com/azure/notification-hubs/export-modify-registrations-bulk).
    public struct Job: Hashable, Sendable, Identifiable {
        /// The job's ID.
        public let id: ID
        /// The kind of job.
        public let kind: Kind
        /// The job's state.
        public let status: Status
        /// The progress, in percent.
        public let progress: Double
        /// The container for the results. The URL is a secret if it includes a signature.
        public let outputContainer: StorageURL?
        /// The file to import. The URL is a secret if it includes a signature.
        public let importFile: StorageURL?
        /// The path of the blob with the results, as returned by the service.
        public let outputFilePath: String?
        /// The path of the blob with the failed lines, as returned by the service.
        public let failedFilePath: String?
        /// The reason that the job failed, with signatures of URLs redacted.
        public let failure: String?
        /// The time when the job was submitted.
        public let createdAt: Date?
        /// The time when the job's state last changed.
        public let updatedAt: Date?
    }
}

extension NotificationHub.Job {
    /// A job's ID, assigned by the service.
    public struct ID: _HubCheckedText {
        /// The ID.
        public let rawValue: String

        /// Creates an ID from a string.
        ///
        /// - Throws: ``HubValidationError`` unless the string has 1 to 256 ASCII letters, digits and `. - _`, and not only
        ///   periods.
        public init(validating text: some StringProtocol) throws(HubValidationError) {
            rawValue = String(text)
            try TextRule.id("a job's ID").check(rawValue)
        }
    }

    /// A kind of job.
    public struct Kind: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
        /// The service's name of the kind.
        public let rawValue: String

        /// Creates a kind from the service's name.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// A job that exports all registrations to a container.
        public static let export = Kind(rawValue: "ExportRegistrations")
        /// A job that creates registrations.
        public static let create = Kind(rawValue: "ImportCreateRegistrations")
        /// A job that updates existing registrations.
        public static let update = Kind(rawValue: "ImportUpdateRegistrations")
        /// A job that creates or updates registrations.
        public static let upsert = Kind(rawValue: "ImportUpsertRegistrations")
        /// A job that deletes registrations. According to user reports, the service may ignore it.
        public static let delete = Kind(rawValue: "ImportDeleteRegistrations")

        /// The service's name of the kind.
        public var description: String { rawValue }
    }

    /// A state of a job.
    public struct Status: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
        /// The service's name of the state.
        public let rawValue: String

        /// Creates a state from the service's name.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The job was submitted.
        public static let started = Status(rawValue: "Started")
        /// The job is running.
        public static let running = Status(rawValue: "Running")
        /// The job has ended. Some lines may have failed.
        public static let completed = Status(rawValue: "Completed")
        /// The job has failed.
        public static let failed = Status(rawValue: "Failed")

        /// Whether the state is final.
        public var isTerminal: Bool { self == .completed || self == .failed }

        /// The service's name of the state.
        public var description: String { rawValue }
    }

    /// A job to submit.
    ///
    /// Both URLs must include a signature: the container's with permission to list, read and write, and the file's with
    /// permission to read.
    public struct Request: Hashable, Sendable {
        /// The kind of job.
        public let kind: Kind
        /// The file to import; `nil` for an export.
        public let importFile: NotificationHub.StorageURL?
        /// The container for the results.
        public let outputContainer: NotificationHub.StorageURL

        /// Creates a job that exports all registrations to a container.
        public static func export(to container: NotificationHub.StorageURL) -> Request {
            Request(kind: .export, importFile: nil, outputContainer: container)
        }

        /// Creates a job that creates registrations from a file with the XML of one registration per line.
        public static func create(from file: NotificationHub.StorageURL, results container: NotificationHub.StorageURL)
            -> Request
        {
            Request(kind: .create, importFile: file, outputContainer: container)
        }

        /// Creates a job that updates registrations from a file with the XML of one registration per line.
        public static func update(from file: NotificationHub.StorageURL, results container: NotificationHub.StorageURL)
            -> Request
        {
            Request(kind: .update, importFile: file, outputContainer: container)
        }

        /// Creates a job that creates or updates registrations from a file with the XML of one registration per line.
        public static func upsert(from file: NotificationHub.StorageURL, results container: NotificationHub.StorageURL)
            -> Request
        {
            Request(kind: .upsert, importFile: file, outputContainer: container)
        }

        /// Creates a job that deletes the registrations in a file with the XML of one registration per line.
        ///
        /// According to user reports, the service may ignore such jobs.
        public static func delete(from file: NotificationHub.StorageURL, results container: NotificationHub.StorageURL)
            -> Request
        {
            Request(kind: .delete, importFile: file, outputContainer: container)
        }
    }
}

extension NotificationHub.Job.Request {
    /// The job's XML description, with elements in the order of the service's data contract.
    package var xml: XMLElement {
        let elements: [(name: String, text: String?)] = [
            ("Type", kind.rawValue), ("OutputContainerUri", outputContainer.rawValue),
            ("ImportFileUri", importFile?.rawValue),
        ]
        return XMLElement(
            name: "NotificationHubJob",
            children: elements.compactMap { name, text in
                text.map { XMLElement(name: name, text: $0, writesCDATA: name != "Type") }
            })
    }
}

extension NotificationHub.Job {
    /// Creates a job from an entry.
    package init(xml entry: XMLElement, at path: String = "entry") throws(XMLContentError) {
        let description = try Atom.description(in: entry, at: path)
        let name = "NotificationHubJob"
        guard description.localName == name else {
            throw XMLContentError(
                "\(path)/content/\(description.localName.escapedForDisplay)", "is not \(name)")
        }
        var reader = ElementReader(description, at: "\(path)/content/\(name)")
        id = try reader.required("JobId").checked()
        kind = Kind(rawValue: try reader.required("Type").content())
        // The service omits a status with the first value.
        status =
            try reader.optional("Status").map { child throws(XMLContentError) in
                Status(rawValue: try child.content())
            } ?? .started
        progress = try reader.optional("Progress")?.double() ?? 0
        outputContainer = try reader.optional("OutputContainerUri")?.url()
        importFile = try reader.optional("ImportFileUri")?.url()
        failure = try reader.optional("Failure")?.content().withoutSignatures
        let properties = try reader.optional("OutputProperties")?.properties() ?? [:]
        outputFilePath = properties["OutputFilePath"]
        failedFilePath = properties["FailedFilePath"]
        createdAt = try reader.optional("CreatedAt")?.date()
        updatedAt = try reader.optional("UpdatedAt")?.date()
    }
}

extension ElementReader.Child {
    fileprivate func double() throws(XMLContentError) -> Double {
        guard let number = element.content.flatMap(Double.init), number.isFinite else {
            throw XMLContentError(path, "is not a number")
        }
        return number
    }

    fileprivate func url() throws(XMLContentError) -> NotificationHub.StorageURL {
        do {
            return try NotificationHub.StorageURL(validating: try content())
        } catch let error as HubValidationError {
            throw XMLContentError(path, "is invalid: \(error)")
        } catch {
            throw XMLContentError(path, "is empty")
        }
    }

    /// Returns the names and values of a dictionary in .NET's serialization format.
    fileprivate func properties() throws(XMLContentError) -> [String: String] {
        var properties: [String: String] = [:]
        for child in element.children where child.localName == "KeyValueOfstringstring" {
            var reader = ElementReader(child, at: "\(path)/KeyValueOfstringstring")
            properties[try reader.required("Key").content()] = try reader.optional("Value")?.text
        }
        return properties
    }
}

extension NotificationHub.Job: CustomStringConvertible, CustomDebugStringConvertible {
    /// The ID, kind, state and progress, and the reason of a failure.
    public var description: String {
        "\(id): \(kind), \(status), \(percentage) %" + (failure.map { " (\($0))" } ?? "")
    }

    /// The progress as a decimal number of percent.
    package var percentage: String { Int(exactly: progress).map(String.init) ?? "\(progress)" }

    /// The type and all properties.
    public var debugDescription: String { Mirror.debugText(of: self) }
}

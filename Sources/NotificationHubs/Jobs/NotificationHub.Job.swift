#if canImport(FoundationEssentials)
public import struct FoundationEssentials.Date
#else
public import struct Foundation.Date
#endif

extension NotificationHub {
    /// An export or import of registrations, which the service works on by itself. This needs a hub of the Standard tier.
    ///
    /// Source: [Export and import registrations in
    /// bulk](https://learn.microsoft.com/azure/notification-hubs/export-modify-registrations-bulk).
    public struct Job: Hashable, Sendable, Identifiable {
        /// The job's id.
        public let id: ID
        /// What it does.
        public let kind: Kind
        /// How far it has come.
        public let status: Status
        /// How much of it is done, in percent.
        public let progress: Double
        /// The container that its results go to: a secret, if the service shows the signature.
        public let outputContainer: StorageURL?
        /// What it imports: a secret, if the service shows the signature.
        public let importFile: StorageURL?
        /// Where its results are: the blob's path, as the service says it.
        public let outputFilePath: String?
        /// Where the lines are that failed: the blob's path, as the service says it.
        public let failedFilePath: String?
        /// Why it failed.
        public let failure: String?
        /// When it was submitted.
        public let createdAt: Date?
        /// When its state has changed.
        public let updatedAt: Date?
    }
}

extension NotificationHub.Job {
    /// A job's id, assigned by the service.
    public struct ID: HubCheckedText {
        /// The id.
        public let rawValue: String

        /// Checks an id.
        ///
        /// - Throws: ``HubValidationError`` if it is empty, longer than 256 characters, or contains anything but letters,
        ///   digits and `. - _` in ASCII.
        public init(validating text: some StringProtocol) throws(HubValidationError) {
            rawValue = String(text)
            try TextRule.id("a job's id").check(rawValue)
        }
    }

    /// What a job does, in the service's words.
    public struct Kind: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
        /// The service's word.
        public let rawValue: String

        /// A kind by the service's word.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// Writes all registrations to the container.
        public static let export = Kind(rawValue: "ExportRegistrations")
        /// Creates registrations.
        public static let create = Kind(rawValue: "ImportCreateRegistrations")
        /// Updates registrations that there are.
        public static let update = Kind(rawValue: "ImportUpdateRegistrations")
        /// Creates registrations, or updates them.
        public static let upsert = Kind(rawValue: "ImportUpsertRegistrations")
        /// Deletes registrations. Users report that it may do nothing.
        public static let delete = Kind(rawValue: "ImportDeleteRegistrations")

        /// The service's word.
        public var description: String { rawValue }
    }

    /// How far a job has come, in the service's words.
    public struct Status: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
        /// The service's word.
        public let rawValue: String

        /// A status by the service's word.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// It was submitted.
        public static let started = Status(rawValue: "Started")
        /// It is being worked on.
        public static let running = Status(rawValue: "Running")
        /// It has ended; lines may have failed.
        public static let completed = Status(rawValue: "Completed")
        /// It has ended early.
        public static let failed = Status(rawValue: "Failed")

        /// Whether nothing will change any more.
        public var isTerminal: Bool { self == .completed || self == .failed }

        /// The service's word.
        public var description: String { rawValue }
    }

    /// A job that is to be submitted. Both URLs are Azure Storage's, with signatures: for the container to list, read and write;
    /// for the file to read.
    public struct Request: Hashable, Sendable {
        /// What it does.
        public let kind: Kind
        /// What it imports.
        public let importFile: NotificationHub.StorageURL?
        /// The container that its results go to.
        public let outputContainer: NotificationHub.StorageURL

        /// Has all registrations written to a container.
        public static func export(to container: NotificationHub.StorageURL) -> Request {
            Request(kind: .export, importFile: nil, outputContainer: container)
        }

        /// Has registrations created from a file, which has a registration's XML in each line.
        public static func create(from file: NotificationHub.StorageURL, results container: NotificationHub.StorageURL)
            -> Request
        {
            Request(kind: .create, importFile: file, outputContainer: container)
        }

        /// Has registrations updated from such a file.
        public static func update(from file: NotificationHub.StorageURL, results container: NotificationHub.StorageURL)
            -> Request
        {
            Request(kind: .update, importFile: file, outputContainer: container)
        }

        /// Has registrations created or updated from such a file.
        public static func upsert(from file: NotificationHub.StorageURL, results container: NotificationHub.StorageURL)
            -> Request
        {
            Request(kind: .upsert, importFile: file, outputContainer: container)
        }

        /// Has registrations deleted that such a file names. Users report that the service may do nothing then.
        public static func delete(from file: NotificationHub.StorageURL, results container: NotificationHub.StorageURL)
            -> Request
        {
            Request(kind: .delete, importFile: file, outputContainer: container)
        }
    }
}

extension NotificationHub.Job.Request {
    /// The job's description, its elements in the order of the service's contract.
    package var xml: XMLElement {
        let elements: [(name: String, text: String?)] = [
            ("Type", kind.rawValue), ("OutputContainerUri", outputContainer.rawValue),
            ("ImportFileUri", importFile?.rawValue),
        ]
        return XMLElement(
            name: "NotificationHubJob",
            children: elements.compactMap { name, text in
                text.map { XMLElement(name: name, text: $0, writesSections: name != "Type") }
            })
    }
}

extension NotificationHub.Job {
    /// An entry of a feed, or one alone.
    package init(xml entry: XMLElement, at path: String = "entry") throws(UnreadableXML) {
        let description = try Atom.description(in: entry, at: path)
        let name = "NotificationHubJob"
        guard description.localName == name[...] else {
            throw UnreadableXML("\(path)/content/\(String(description.localName).shownInside)", "is no \(name)")
        }
        var reader = ElementReader(description, at: "\(path)/content/\(name)")
        id = try reader.required("JobId").checked()
        kind = Kind(rawValue: try reader.required("Type").content())
        // What has its first value is left out by the service.
        status =
            try reader.optional("Status").map { child throws(UnreadableXML) in
                Status(rawValue: try child.content())
            } ?? .started
        progress = try reader.optional("Progress")?.double() ?? 0
        outputContainer = try reader.optional("OutputContainerUri")?.url()
        importFile = try reader.optional("ImportFileUri")?.url()
        failure = try reader.optional("Failure")?.content()
        let properties = try reader.optional("OutputProperties")?.properties() ?? [:]
        outputFilePath = properties["OutputFilePath"]
        failedFilePath = properties["FailedFilePath"]
        createdAt = try reader.optional("CreatedAt")?.date()
        updatedAt = try reader.optional("UpdatedAt")?.date()
    }
}

extension ElementReader.Child {
    fileprivate func double() throws(UnreadableXML) -> Double {
        guard let number = element.content.flatMap(Double.init), number.isFinite else {
            throw UnreadableXML(path, "is no number")
        }
        return number
    }

    fileprivate func url() throws(UnreadableXML) -> NotificationHub.StorageURL {
        do {
            return try NotificationHub.StorageURL(validating: try content())
        } catch let error as HubValidationError {
            throw UnreadableXML(path, "cannot be taken: \(error)")
        } catch {
            throw UnreadableXML(path, "is empty")
        }
    }

    /// Names and values, as .NET serialises a dictionary.
    fileprivate func properties() throws(UnreadableXML) -> [String: String] {
        var properties: [String: String] = [:]
        for child in element.children where child.localName == "KeyValueOfstringstring" {
            var reader = ElementReader(child, at: "\(path)/KeyValueOfstringstring")
            properties[try reader.required("Key").content()] = try reader.optional("Value")?.text
        }
        return properties
    }
}

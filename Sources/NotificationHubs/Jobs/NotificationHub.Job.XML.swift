extension NotificationHub.Job.Request {
    /// The job's description, its elements in the order of the service's contract.
    package var xml: XMLElement {
        let elements: [(name: String, text: String?)] = [
            ("Type", kind.rawValue), ("OutputContainerUri", outputContainer.rawValue), ("ImportFileUri", importFile?.rawValue),
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

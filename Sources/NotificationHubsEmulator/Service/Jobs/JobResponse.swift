import HubText
import NotificationHubs

/// A factory of Atom responses that contain jobs.
struct JobResponse {
    let call: ServiceCall

    func entry(_ job: StoredJob) throws(ServiceError) -> HubResponse {
        try ServiceResponse.atom(xml(job))
    }

    func feed(_ jobs: [StoredJob]) throws(ServiceError) -> HubResponse {
        let head = Atom.head(
            title: "Jobs", url: "\(call.request.endpoint)\(call.request.path)?\(call.request.query)",
            times: [("updated", call.now)])
        return try ServiceResponse.atom(Atom.feed(jobs.map(xml), head: head))
    }

    private func xml(_ job: StoredJob) -> XMLElement {
        // The service appends the ID to the request's path, so a request for one job has the ID twice.
        let url = "\(call.request.endpoint)\(call.request.path)/\(job.id)?\(call.request.query)"
        return Atom.entry(
            description(job),
            head: Atom.head(
                title: job.id, url: url,
                times: [("published", job.createdAt), ("updated", job.updatedAt)]))
    }

    /// Returns a job's description, without elements that have their default value and without the URLs' signatures.
    private func description(_ job: StoredJob) -> XMLElement {
        let isAtStart = job.status == .started
        let withoutQuery = { (url: String) in String(Substring(url.utf8.prefix { $0 != UInt8(ascii: "?") })) }
        let values: [String: String?] = [
            "JobId": job.id, "Progress": job.status == .completed ? "100" : nil, "Type": job.request.kind.rawValue,
            "Status": isAtStart ? nil : job.status.rawValue,
            "OutputContainerUri": withoutQuery(job.request.outputContainer),
            "ImportFileUri": job.request.importFile.map(withoutQuery), "Failure": job.failure,
            "CreatedAt": Timestamp(job.createdAt)?.text, "UpdatedAt": Timestamp(job.updatedAt)?.text,
        ]
        return XMLElement(
            name: "NotificationHubJob",
            children: JobRequest.elementNames.compactMap { name in
                if name == "OutputProperties" { return job.results.map(Self.properties) }
                return values[name].flatMap { $0 }.map {
                    XMLElement(name: name, text: $0, writesCDATA: name.hasSuffix("Uri"))
                }
            })
    }

    /// Returns the paths of a job's results, in .NET's serialization of a dictionary.
    private static func properties(_ results: StoredJob.Results) -> XMLElement {
        let paths = [("OutputFilePath", results.output), ("FailedFilePath", results.failed)]
        return XMLElement(
            name: "OutputProperties",
            attributes: ["xmlns:d3p1": "http://schemas.microsoft.com/2003/10/Serialization/Arrays"],
            children: paths.compactMap { key, path in
                path.map {
                    XMLElement(
                        name: "d3p1:KeyValueOfstringstring",
                        children: [
                            XMLElement(name: "d3p1:Key", text: key), XMLElement(name: "d3p1:Value", text: $0),
                        ])
                }
            })
    }
}

import HubText
import NotificationHubs

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A factory of Atom responses that contain jobs.
struct JobResponse {
    let call: ServiceCall

    func entry(_ job: StoredJob) throws(ServiceError) -> HubResponse {
        ServiceResponse.atom(try Self.text(xml(job)), type: "entry")
    }

    func feed(_ jobs: [StoredJob]) throws(ServiceError) -> HubResponse {
        let head = Self.head(
            title: "Jobs", url: "\(call.request.endpoint)\(call.request.path)?\(call.request.query)",
            times: [("updated", call.now)])
        return ServiceResponse.atom(try Self.text(Atom.feed(jobs.map(xml), head: head)), type: "feed")
    }

    private static func text(_ xml: XMLElement) throws(ServiceError) -> String {
        do {
            return String(decoding: try XMLWriter.write(xml, declaration: false), as: UTF8.self)
        } catch {
            throw ServiceError(500, "cannot write the stored job: \(error)")
        }
    }

    private func xml(_ job: StoredJob) -> XMLElement {
        // The service appends the ID to the request's path, so a request for one job has the ID twice.
        let url = "\(call.request.endpoint)\(call.request.path)/\(job.id)?\(call.request.query)"
        return Atom.entry(
            description(job),
            head: Self.head(
                title: job.id, url: url,
                times: [("published", job.createdAt), ("updated", job.updatedAt)]))
    }

    private static func head(title: String, url: String, times: [(name: String, date: Date)]) -> [XMLElement] {
        [
            XMLElement(name: "id", text: url),
            XMLElement(name: "title", attributes: ["type": "text"], text: title),
        ] + times.map { XMLElement(name: $0.name, text: Timestamp($0.date)?.text ?? "") }
            + [XMLElement(name: "link", attributes: ["rel": "self", "href": url])]
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

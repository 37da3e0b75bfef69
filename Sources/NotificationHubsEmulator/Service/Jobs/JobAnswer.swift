import HubText
import NotificationHubs

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Jobs as the service answers with them: Atom.
struct JobAnswer {
    let call: ServiceCall

    func entry(_ job: HeldJob) throws(ServiceRefusal) -> HubResponse {
        ServiceResponse.atom(try Self.text(xml(job)), type: "entry")
    }

    func feed(_ jobs: [HeldJob]) throws(ServiceRefusal) -> HubResponse {
        let head = Self.head(
            title: "Jobs", url: "\(call.request.endpoint)\(call.request.path)?\(call.request.query)",
            times: [("updated", call.now)])
        return ServiceResponse.atom(try Self.text(Atom.feed(jobs.map(xml), head: head)), type: "feed")
    }

    private static func text(_ xml: XMLElement) throws(ServiceRefusal) -> String {
        do {
            return String(decoding: try XMLWriter.write(xml, declaration: false), as: UTF8.self)
        } catch {
            throw ServiceRefusal(500, "what is stored cannot be written: \(error)")
        }
    }

    private func xml(_ job: HeldJob) -> XMLElement {
        // The service puts the id behind whatever was asked for, twice where it was asked for by the id.
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

    /// The description: what has its first value is left out, and URLs are shown without what opens them.
    private func description(_ job: HeldJob) -> XMLElement {
        let isAtStart = job.status == .started
        let shown = { (url: String) in String(Substring(url.utf8.prefix { $0 != UInt8(ascii: "?") })) }
        let values: [String: String?] = [
            "JobId": job.id, "Progress": job.status == .completed ? "100" : nil, "Type": job.order.kind.rawValue,
            "Status": isAtStart ? nil : job.status.rawValue, "OutputContainerUri": shown(job.order.outputContainer),
            "ImportFileUri": job.order.importFile.map(shown), "Failure": job.failure,
            "CreatedAt": Timestamp(job.createdAt)?.text, "UpdatedAt": Timestamp(job.updatedAt)?.text,
        ]
        return XMLElement(
            name: "NotificationHubJob",
            children: JobOrder.elementNames.compactMap { name in
                if name == "OutputProperties" { return job.results.map(Self.properties) }
                return values[name].flatMap { $0 }.map {
                    XMLElement(name: name, text: $0, writesSections: name.hasSuffix("Uri"))
                }
            })
    }

    /// Names and values, as .NET serialises a dictionary.
    private static func properties(_ results: HeldJob.Results) -> XMLElement {
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

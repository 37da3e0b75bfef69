import Foundation
import HubLock
import HubTestSupport
import NotificationHubs
import Testing

/// Exports and imports of registrations.
@Suite struct JobTests {
    typealias Job = NotificationHub.Job

    private let container = try? NotificationHub.StorageURL(
        validating: "https://a.blob.core.windows.net/c?sv=1&sig=sesame")
    private let file = try? NotificationHub.StorageURL(
        validating: "https://a.blob.core.windows.net/c/file.txt?sv=1&sig=sesame2")

    private static func entry(_ content: String) -> String {
        """
        <entry xmlns="\(Registration.atom)"><id>https://h/push/jobs/1/1</id><content type="application/xml">\
        <NotificationHubJob xmlns="\(Registration.connect)" xmlns:i="\(Registration.instance)">\(content)\
        </NotificationHubJob></content></entry>
        """
    }

    private static let minimum = "<JobId>1</JobId><Type>ExportRegistrations</Type>"

    private func hub(_ body: String, status: Int = 200) throws -> (hub: NotificationHub, transport: ScriptedTransport) {
        let transport = ScriptedTransport { _ in HubResponse(status: status, body: Array(body.utf8)) }
        return (try NotificationHub.scripted(transport), transport)
    }

    @Test func `submits a job with elements in the service's order`() async throws {
        let (container, file) = (try #require(container), try #require(file))
        let output = "<OutputContainerUri><![CDATA[\(container.rawValue)]]></OutputContainerUri>"
        let input = "<ImportFileUri><![CDATA[\(file.rawValue)]]></ImportFileUri>"
        for (request, type, rest) in [
            (Job.Request.export(to: container), "ExportRegistrations", output),
            (.create(from: file, results: container), "ImportCreateRegistrations", output + input),
            (.update(from: file, results: container), "ImportUpdateRegistrations", output + input),
            (.upsert(from: file, results: container), "ImportUpsertRegistrations", output + input),
            (.delete(from: file, results: container), "ImportDeleteRegistrations", output + input),
        ] {
            let (hub, transport) = try hub(Self.entry(Self.minimum), status: 201)
            let job = try await hub.submitJob(request)
            #expect(job.id.rawValue == "1" && job.kind == .export && job.status == .started && job.progress == 0)
            let sent = try #require(transport.requests.first)
            #expect(sent.method == .post && sent.url.hasSuffix("/push/jobs?api-version=2020-06"))
            #expect(sent.headers["Content-Type"] == "application/atom+xml;type=entry;charset=utf-8")
            #expect(sent.bodyText.contains(">\("<Type>\(type)</Type>\(rest)")</NotificationHubJob></content></entry>"))
        }
    }

    @Test func `parses all properties of a job`() async throws {
        let (hub, transport) = try hub(
            Self.entry(
                """
                \(Self.minimum)<Progress>99.99</Progress><Status>Failed</Status>\
                <OutputContainerUri><![CDATA[https://a.b/c?sig=sesame]]></OutputContainerUri>\
                <ImportFileUri>https://a.b/c/f?x&amp;sig=sesame</ImportFileUri><InputProperties/><Failure>no</Failure>\
                <OutputProperties xmlns:d3p1="http://schemas.microsoft.com/2003/10/Serialization/Arrays">\
                <d3p1:KeyValueOfstringstring><d3p1:Key>OutputFilePath</d3p1:Key><d3p1:Value>c//push/1/Output.txt</d3p1:Value>\
                </d3p1:KeyValueOfstringstring><d3p1:KeyValueOfstringstring><d3p1:Key>FailedFilePath</d3p1:Key>\
                <d3p1:Value>c//push/1/Failed.txt</d3p1:Value></d3p1:KeyValueOfstringstring></OutputProperties>\
                <CreatedAt>2014-12-06T01:48:49.9874484Z</CreatedAt><UpdatedAt>2014-12-06T01:48:54.4501165Z</UpdatedAt>
                """))
        let job = try await hub.job(.init(validating: "1"))
        #expect(transport.requests.first?.url.hasSuffix("/push/jobs/1?api-version=2020-06") == true)
        #expect(job.status == .failed && job.status.isTerminal && job.progress == 99.99 && job.failure == "no")
        #expect(job.outputContainer?.rawValue == "https://a.b/c?sig=sesame")
        #expect(job.importFile?.rawValue == "https://a.b/c/f?x&sig=sesame")
        #expect(job.outputFilePath == "c//push/1/Output.txt" && job.failedFilePath == "c//push/1/Failed.txt")
        #expect(job.createdAt == Date(timeIntervalSince1970: 1_417_830_529))
        #expect(job.updatedAt == Date(timeIntervalSince1970: 1_417_830_534))
        #expect(!everythingPrinted(of: job).contains("sesame"))
    }

    @Test(arguments: [
        ("", "JobId' is required"), ("<JobId>1</JobId>", "Type' is required"),
        ("<JobId>../1</JobId>", "JobId' is invalid: a job's ID"),
        ("\(minimum)<Progress>much</Progress>", "Progress' is not a number"),
        (
            "\(minimum)<OutputContainerUri>http://a.b/c?sig=sesame</OutputContainerUri>",
            "OutputContainerUri' is invalid"
        ),
    ])
    func `reports invalid content`(content: String, problem: String) async throws {
        let (hub, _) = try hub(Self.entry(content))
        let error = await #expect(throws: HubError.self) { try await hub.job(.init(validating: "1")) }
        #expect(error?.code == .invalidResponse && error?.detail?.contains(problem) == true, "\(error?.detail ?? "")")
        #expect(error?.detail?.contains("sesame") == false)
    }

    @Test func `lists all jobs, or none`() async throws {
        let two = Self.entry(Self.minimum) + Self.entry(Self.minimum.replacing(">1<", with: ">2<"))
        #expect(try await hub("<feed><title/>\(two)</feed>").hub.jobs().map(\.id.rawValue) == ["1", "2"])
        #expect(try await hub("<feed/>").hub.jobs().isEmpty)
        let error = await #expect(throws: HubError.self) { try await hub("<feed><entry/></feed>").hub.jobs() }
        #expect(error?.detail == "the jobs cannot be read: 'feed/entry[1]/content' is required")
    }

    @Test func `does not retry a submission`() async throws {
        let transport = ScriptedTransport { _ in throw HubTransportError("connection closed", delivery: .unknown) }
        let hub = try NotificationHub(
            connectionString: "Endpoint=sb://h/;SharedAccessKeyName=n;SharedAccessKey=k", hubName: "push",
            transport: transport, options: .patient(retry: RetryPolicy(firstDelay: .zero)))
        let container = try #require(container)
        let error = await #expect(throws: HubError.self) { try await hub.submitJob(.export(to: container)) }
        #expect(error?.code == .mayHaveBeenAccepted && transport.requests.count == 1)
    }

    @Test func `polls a job until it has ended`() async throws {
        let statuses = Locked(["Started", "Running", "Running", "Completed", "Completed"])
        let transport = ScriptedTransport { _ in
            let status = statuses.withLock { $0.isEmpty ? "Late" : $0.removeFirst() }
            return HubResponse(status: 200, body: Array(Self.entry("\(Self.minimum)<Status>\(status)</Status>").utf8))
        }
        let hub = try NotificationHub.scripted(transport)
        let clock = ManualClock()
        var seen: [String] = []
        for try await job in hub.progress(of: try .init(validating: "1"), clock: clock) {
            seen.append(job.status.rawValue)
        }
        #expect(seen == ["Started", "Running", "Running", "Completed"])
        #expect(clock.sleeps == [.seconds(30), .seconds(30), .seconds(30)])
    }

    @Test func `polls a job at the given interval until the timeout`() async throws {
        let (hub, transport) = try hub(Self.entry("\(Self.minimum)<Status>Running</Status>"))
        let clock = ManualClock()
        let states = hub.progress(
            of: try .init(validating: "1"), every: .seconds(10), timeout: .seconds(25), clock: clock)
        for try await _ in states {}
        #expect(transport.requests.count == 3)
        #expect(clock.sleeps == [.seconds(10), .seconds(10)])
    }

    /// A recorded sample of the Java SDK.
    @Test(.enabled(if: Recordings.folder != nil, "HUB_RECORDINGS is not set"))
    func `parses the Java SDK's sample and writes the same request`() async throws {
        let bytes = try Recordings.bytes("java/NotificationHubJobIncoming")
        let job = try await hub(String(decoding: bytes, as: UTF8.self)).hub.job(.init(validating: "1"))
        #expect(job.kind == .create && job.status == .completed && job.outputFilePath == "test//hub/1/Output.txt")
        let (container, file) = (try #require(job.outputContainer), try #require(job.importFile))
        let outgoing = try XMLReader.read(Recordings.bytes("java/NotificationHubJobOutgoing"))
        let expected = try #require(outgoing["content"]?.children.first)
        let sent = try XMLReader.read(XMLWriter.write(Job.Request.create(from: file, results: container).xml))
        #expect(sent.name == expected.name && sent.children == expected.children)
    }
}

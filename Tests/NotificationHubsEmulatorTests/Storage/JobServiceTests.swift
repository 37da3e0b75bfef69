import Foundation
import HubTestSupport
import NotificationHubs
import NotificationHubsEmulator
import Testing

/// Tests export and import jobs that the package's client submits.
@Suite struct JobServiceTests {
    typealias Job = NotificationHub.Job

    private let emulator: HubEmulator
    private let hub: NotificationHub
    private let container: HubEmulator.Container
    private let phone = Registration(pushChannel: .apple(deviceToken: [0xab, 0x01]), tags: ["news", "city:berlin"])
    private let tablet = Registration(
        pushChannel: .fcmV1(registrationToken: "<tablet>"), tags: ["news"], pushVariables: ["name": "Zoë"],
        template: .init(body: "{\"message\":\r\n{\"data\":{\"text\":\"$(message)\",\"end\":\"]]>\"}}}"))

    init() throws {
        emulator = HubEmulator(hubName: "push")
        hub = try NotificationHub(
            connectionString: emulator.connectionString, hubName: "push", transport: emulator,
            options: .patient(retry: .never))
        container = try emulator.makeContainer(named: "jobs")
    }

    private func lines(_ blob: String) -> [String] {
        String(decoding: container.read(blob) ?? [], as: UTF8.self).split(separator: "\n").map(String.init)
    }

    /// Runs a job and returns the lines of its output files.
    private func run(_ request: Job.Request) async throws -> (output: [String], failed: [String]) {
        let id = try await hub.submitJob(request).id
        let job = try await hub.job(id)
        try #require(job.status == .completed, "\(job.failure ?? "")")
        return (lines("push/\(id)/Output.txt"), lines("push/\(id)/Failed.txt"))
    }

    private func imported(
        _ make: (NotificationHub.StorageURL, NotificationHub.StorageURL) -> Job.Request, _ lines: [String]
    ) async throws -> (output: [String], failed: [String]) {
        try container.write(lines.joined(separator: "\r\n").utf8, to: "in/import.txt")
        return try await run(make(container.url(of: "in/import.txt"), container.url))
    }

    private var ids: [Registration.ID] {
        get async throws {
            var ids: [Registration.ID] = []
            for try await entry in hub.registrations() { ids.append(entry.id) }
            return ids
        }
    }

    @Test func `keeps unfinished jobs, and rejects more than 1000`() throws {
        let scene = try Scene(options: .init(writeDelay: .seconds(60)))
        let container = try scene.emulator.makeContainer(named: "jobs")
        func submit() throws -> HubResponse {
            try scene.call(.post, "/jobs", "api-version=2020-06", [:], SnapshotScene.job(container))
        }
        for _ in 1...1000 { try #require(try submit().status == 201) }
        let rejected = try submit()
        #expect(rejected.status == 403)
        #expect(rejected.text.contains("too many unfinished jobs"))
        #expect(try scene.call(.get, "/jobs/1").status == 200)
        scene.wait(60)
        #expect(try submit().status == 201)
        #expect(try scene.call(.get, "/jobs/1").status == 404)
        #expect(try scene.call(.get, "/jobs/2").text.contains("<Status>Completed</Status>"))
    }

    @Test func `completes an export at the next request and returns its file path`() async throws {
        _ = try await hub.createRegistration(phone)
        let submitted = try await hub.submitJob(.export(to: container.url))
        #expect(submitted.status == .started && submitted.progress == 0 && submitted.outputFilePath == nil)
        #expect(submitted.kind == .export && submitted.createdAt != nil)
        var states: [Job] = []
        for try await job in hub.progress(of: submitted.id) { states.append(job) }
        #expect(states.map(\.status) == [.completed] && states.last?.progress == 100)
        #expect(states.last?.outputFilePath == "jobs//push/\(submitted.id)/Output.txt")
        #expect(try await hub.jobs().map(\.id) == [submitted.id])
        #expect(lines("push/\(submitted.id)/Output.txt").count == 1)
    }

    @Test func `imports exported registrations unchanged`() async throws {
        let entries = [try await hub.createRegistration(phone), try await hub.createRegistration(tablet)].sorted {
            $0.id.rawValue < $1.id.rawValue
        }
        let exported = try await run(.export(to: container.url)).output
        #expect(exported.count == 2 && exported.allSatisfy { $0.hasPrefix("<RegistrationDescription ") })
        emulator.reset()
        let storage = try emulator.makeContainer(named: "jobs")
        try storage.write(exported.joined(separator: "\n").utf8, to: "import.txt")
        let id = try await hub.submitJob(.create(from: storage.url(of: "import.txt"), results: storage.url)).id
        #expect(try await hub.job(id).status == .completed)
        var found: [Registration.Entry] = []
        for try await entry in hub.registrations() { found.append(entry) }
        #expect(found.map(\.id) == entries.map(\.id))
        #expect(found.map(\.registration) == entries.map(\.registration))
    }

    private func line(_ id: String?, tags: String = "news", token: String = "AB01") -> String {
        let id = id.map { "<RegistrationId>\($0)</RegistrationId>" } ?? ""
        return
            "<AppleRegistrationDescription xmlns=\"http://schemas.microsoft.com/netservices/2010/10/servicebus/connect\">"
            + "<ETag>1</ETag>\(id)<Tags>\(tags)</Tags><DeviceToken>\(token)</DeviceToken></AppleRegistrationDescription>"
    }

    @Test func `assigns IDs in a create job and rejects an ID in use`() async throws {
        let (output, failed) = try await imported(Job.Request.create, [line(nil), line("1-2-3"), "", line("1-2-3")])
        #expect(output.count == 2 && failed.count == 1 && failed[0].hasPrefix("line 4: "))
        #expect(try await ids.count == 2)
        #expect(try await hub.registration(.init(validating: "1-2-3")).entityTag?.rawValue == "1")
    }

    @Test func `updates existing registrations and creates missing ones in an upsert job`() async throws {
        let id = try await hub.createRegistration(phone).id
        let changed = [line(id.rawValue, tags: "sports"), line("1-2-3"), line(nil)]
        let update = try await imported(Job.Request.update, changed)
        #expect(update.output.count == 1 && update.failed.map { $0.prefix(7) } == ["line 2:", "line 3:"])
        #expect(try await hub.registration(id).registration.tags == ["sports"])
        #expect(try await imported(Job.Request.upsert, changed).failed.isEmpty)
        #expect(try await ids.count == 3)
    }

    @Test func `updates and deletes the registrations of installations`() async throws {
        try await hub.putInstallation(
            Installation(
                id: "phone", pushChannel: phone.pushChannel, tags: ["news"], templates: ["my alert": .init(body: "{}")])
        )
        let exported = try await run(.export(to: container.url)).output
        let failed = try await imported(Job.Request.create, exported).failed
        #expect(failed.map { $0.prefix(7) } == ["line 1:", "line 2:"])
        let changed = exported.map { $0.replacing(",news", with: ",sports") }
        for request in [Job.Request.upsert, Job.Request.update] {
            #expect(try await imported(request, changed).failed.isEmpty)
        }
        #expect(try await ids.count == 2)
        try await hub.send(.apple(#"{"aps":{"alert":"Hello"}}"#), to: .tag("sports"))
        #expect(emulator.deliveries.map(\.installationID) == ["phone"])
        #expect(try await imported(Job.Request.delete, exported).failed.isEmpty)
        #expect(try await ids.isEmpty)
        #expect(emulator.installations.isEmpty)
        // Without the installation, only the service adds its tag.
        let orphaned = try await imported(Job.Request.upsert, exported).failed
        #expect(orphaned.count == 2 && orphaned.allSatisfy { $0.contains("a tag cannot begin with '$'") })
    }

    @Test func `deletes the registrations in the lines`() async throws {
        let ids = [try await hub.createRegistration(phone).id, try await hub.createRegistration(phone).id]
        let (output, failed) = try await imported(
            Job.Request.delete, [line(ids[0].rawValue), line("1-2-3"), line(nil)])
        #expect(output.count == 1 && failed.count == 2)
        #expect(try await self.ids == [ids[1]])
    }

    @Test func `reports the numbers of rejected lines without their contents`() async throws {
        let invalidLines = [
            "<secret/>", "secret", line("1-1-1", token: "secret"),
            line("1-1-1").replacing("<ETag>1</ETag>", with: "<X/>"),
            "<entry>" + line("1-1-1") + "</entry>",
        ]
        let (output, failed) = try await imported(Job.Request.upsert, invalidLines)
        #expect(output.isEmpty && failed.map { $0.prefix(7) } == (1...5).map { "line \($0):" })
        #expect(!failed.dropFirst().joined().contains("secret"))
    }

    @Test func `fails a job that uses external storage`() async throws {
        let external = try NotificationHub.StorageURL(validating: "https://a.blob.core.windows.net/jobs?sig=sesame")
        let other = try HubEmulator(hubName: "push").makeContainer(named: "jobs").url
        for container in [external, other, try NotificationHub.StorageURL(validating: container.url.rawValue + "0")] {
            let job = try await hub.job(try await hub.submitJob(.export(to: container)).id)
            #expect(job.status == .failed && job.progress == 0 && job.outputFilePath == nil)
            #expect(
                job.failure?.hasPrefix("OutputContainerUri must be the URL of a container of this emulator") == true)
            #expect(job.outputContainer?.rawValue.contains("sig") == false)
        }
        let imports = [
            Job.Request.create(from: external, results: container.url),
            .create(from: try container.url(of: "missing"), results: container.url),
        ]
        for request in imports {
            let job = try await hub.job(try await hub.submitJob(request).id)
            #expect(job.status == .failed && job.failure != nil)
        }
    }

    @Test func `completes a job after the write delay`() async throws {
        let scene = try Scene(options: .init(writeDelay: .seconds(60)))
        let url = try scene.emulator.makeContainer(named: "jobs").url.rawValue
        let body =
            "<entry><content><NotificationHubJob><Type>ExportRegistrations</Type><OutputContainerUri>\(url)"
            + "</OutputContainerUri></NotificationHubJob></content></entry>"
        let response = try scene.call(.post, "/jobs", body)
        #expect(response.status == 201 && response.id == "1" && !response.text.contains("Status"))
        #expect(response.headers["Content-Type"] == "application/atom+xml; type=entry; charset=utf-8")
        #expect(try !scene.call(.get, "/jobs/1").text.contains("<Status>"))
        scene.wait(60)
        #expect(try scene.call(.get, "/jobs/1").text.contains("<Status>Completed</Status>"))
        #expect(try scene.call(.get, "/jobs/1").text.contains("/push/jobs/1/1?"))
        #expect(try scene.call(.get, "/jobs/2").status == 404)
    }

    static let description = "<Type>ExportRegistrations</Type><OutputContainerUri>u</OutputContainerUri>"

    @Test(arguments: [
        "", "<Type>Unknown</Type><OutputContainerUri>u</OutputContainerUri>", "<Type>ExportRegistrations</Type>",
        description + "<ImportFileUri>u</ImportFileUri>", description.replacing("Export", with: "ImportCreate"),
        "<OutputContainerUri>u</OutputContainerUri><Type>ExportRegistrations</Type>", description + "<Unknown/>",
    ])
    func `rejects an invalid job`(content: String) throws {
        let scene = try Scene()
        let response = try scene.call(
            .post, "/jobs", "<entry><content><NotificationHubJob>\(content)</NotificationHubJob></content></entry>")
        #expect(response.status == 400)
        #expect(try !scene.call(.get, "/jobs").text.contains("<entry"))
    }

    @Test(arguments: [("", 200), ("/1", 404)])
    func `requires the Manage right and the Standard tier`(path: String, status: Int) throws {
        #expect(try Scene().call(.get, "/jobs" + path).status == status)
        let scene = try Scene()
        #expect(try scene.call(.get, "/jobs" + path, authorization: scene.token(policy: 1)).status == 403)
        for tier in [HubEmulator.Tier.free, .basic] {
            #expect(try Scene(tier: tier).call(.get, "/jobs" + path).status == 403)
            #expect(try Scene(tier: tier).call(.post, "/jobs").status == 403)
        }
    }
}

extension Scene {
    fileprivate func call(_ method: HubRequest.Method, _ path: String, _ body: String) throws -> HubResponse {
        try call(method, path, "api-version=2020-06", ["Content-Type": "application/atom+xml"], body)
    }
}

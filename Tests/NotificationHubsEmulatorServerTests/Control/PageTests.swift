import Foundation
import HubEmulatorPage
import HubServer
import HubTestSupport
import HubText
import NotificationHubs
import Testing

@testable import NotificationHubsEmulator
@testable import NotificationHubsEmulatorServer

@Suite struct PageTests {
    @Test func `is a single document with a strict content security policy`() throws {
        let response = try ControlScene().response("GET", "")
        #expect(response.headers["Content-Type"] == "text/html; charset=utf-8")
        #expect(response.headers["X-Content-Type-Options"] == "nosniff")
        let policy = try #require(response.headers["Content-Security-Policy"])
        for part in ["default-src 'none'", "connect-src 'self'", "frame-ancestors 'none'", "base-uri 'none'"] {
            #expect(policy.contains(part))
        }
        #expect(!policy.contains("unsafe"))
        #expect(policy.matches(of: #/'sha256-[A-Za-z0-9+\/]{43}='/#).count == 2)
    }

    @Test func `contains no external resource, inline handler or markup injection`() throws {
        let text = try ControlScene().response("GET", "").text
        for word in ["innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "Function(", "http://"]
        {
            #expect(!text.contains(word), "\(word)")
        }
        #expect(text.matches(of: #/\son[a-z]+\s*=\s*["']/#).isEmpty)
        #expect(text.matches(of: #/\sstyle\s*=/#).isEmpty)
        #expect(text.matches(of: #/(src|href)="(?!#|data:,)/#).isEmpty)
        #expect(text.components(separatedBy: "<script").count == 2)
    }

    @Test(arguments: MessageFormat.all)
    func `offers a valid sample for every format`(format: MessageFormat) throws {
        let scene = try ControlScene()
        let page = try scene.response("GET", "").text
        let start = try #require(page.firstRange(of: "<option value=\"\(format.name)\" data-sample=\""))
        let sample = String(page[start.upperBound...].prefix { $0 != "\"" })
            .replacing("&quot;", with: "\"").replacing("&lt;", with: "<").replacing("&gt;", with: ">")
        let body: JSONObject = [
            "format": .string(format.name), "body": .string(sample), "everyone": .bool(true),
        ]
        let text = String(decoding: JSONValue.object(body).bytes, as: UTF8.self)
        #expect(try scene.mutate("POST", "send", text).object()["status"] == .number(.init(201)))
    }

    @Test func `fills all placeholders and takes platform names from the platform table`() throws {
        #expect(try !ControlScene().response("GET", "").text.contains("{{"))
        for file in [PageFiles.document, PageFiles.style, PageFiles.script] {
            #expect(!file.lowercased().contains("xiaomi"))
        }
    }

    @Test(arguments: [
        ("/", "text/html,*/*", true), ("/$emulator", "*/*", true), ("/", "*/*", false), ("/push", "text/html", false),
    ])
    func `redirects a browser from the root to the page`(target: String, accept: String, isRedirected: Bool) throws {
        let request = HTTPRequest(
            method: "GET", target: target, headers: ["Host": "127.0.0.1:8350", "Accept": accept], body: [],
            keepsAlive: true)
        let dispatcher = try ControlScene().dispatcher
        guard case .respond(let response) = dispatcher.handle(request) else {
            Issue.record("no response")
            return
        }
        #expect((response.headers["Location"] == "/$emulator/") == isRedirected)
    }

    @Test func `labels every field`() throws {
        let text = try ControlScene().response("GET", "").text
        for match in text.matches(of: #/<(?:input|select|textarea)\s+id="([a-z]+)"/#) {
            let id = String(match.1)
            let isLabelled = text.contains("for=\"\(id)\"") || id == "hub"
            #expect(isLabelled, "\(id)")
        }
    }

    @Test func `receives an update when the hub changes`() async throws {
        let scene = try ControlScene()
        let first = try scene.response("GET", "updates").object()
        guard case .string(let revision)? = first["revision"] else {
            Issue.record("no revision")
            return
        }
        let target = "updates?revision=\(revision)&deliveries=0&warnings=0&wait=10"
        guard case .poll(let poll) = scene.action("GET", target) else {
            Issue.record("the response was not delayed")
            return
        }
        #expect(poll.check().map { _ in true } == nil)
        try await scene.register("phone")
        guard case .respond(let response)? = poll.check() else {
            Issue.record("no response")
            return
        }
        #expect(try response.object()["installationCount"] == .integer(1))
        #expect(try response.object()["oldestDelivery"] == .integer(1))
    }

    /// Returns the page's update after a revision.
    private func updates(_ scene: ControlScene, since revision: String = "") throws -> (JSONObject, revision: String) {
        let object = try scene.response("GET", "updates?revision=\(revision)").object()
        guard case .string(let revision)? = object["revision"] else { throw ControlScene.NoResponse() }
        return (object, revision)
    }

    @Test func `receives installations and registrations only when they change`() async throws {
        let scene = try ControlScene()
        try await scene.register("phone")
        let (first, revision) = try updates(scene)
        #expect(first["installations"] != nil && first["registrations"] != nil)
        try await scene.send("Hello")
        let (second, secondRevision) = try updates(scene, since: revision)
        #expect(second["installations"] == nil && second["registrations"] == nil)
        #expect(second["installationCount"] == .integer(1) && second["lastDelivery"] == .integer(1))
        #expect(secondRevision != revision)
        // A reset followed by the same number of writes must differ, too.
        scene.emulator.reset()
        try await scene.register("tablet")
        #expect(try updates(scene, since: secondRevision).0["installations"] != nil)
        let (_, thirdRevision) = try updates(scene)
        _ = try await scene.hub.createRegistration(Registration(pushChannel: .apple(deviceToken: [1])))
        #expect(try updates(scene, since: thirdRevision).0["registrations"] != nil)
    }

    @Test func `receives the first 200 installations by ID`() throws {
        let scene = try ControlScene()
        let ids = (1...300).map { "phone-\($0)" }
        for id in ids {
            try scene.emulator.seed(Installation(id: .init(validating: id), pushChannel: .apple(deviceToken: [1])))
        }
        let installations = try updates(scene).0["installations"]
        guard case .array(let values)? = installations else { throw ControlScene.NoResponse() }
        let shown = values.compactMap { value -> JSONValue? in
            guard case .object(let object) = value else { return nil }
            return object["installationId"]
        }
        #expect(shown == ids.sorted().prefix(200).map { .string($0) })
    }

    /// Returns the objects of an array in an update.
    private func objects(_ update: JSONObject, _ name: String) throws -> [JSONObject] {
        guard case .array(let values)? = update[name] else { throw ControlScene.NoResponse() }
        return values.compactMap { if case .object(let object) = $0 { object } else { nil } }
    }

    @Test(arguments: [10, 2000]) func `receives equal deliveries as one group`(count: Int) async throws {
        let scene = try ControlScene()
        for number in 1...count {
            try scene.emulator.seed(
                Installation(
                    id: .init(validating: "phone-\(number)"), pushChannel: .apple(deviceToken: [1]), tags: ["news"]))
        }
        try await scene.hub.send(.apple(#"{"aps":{"alert":"Hello"}}"#), to: .tag("news"))
        let groups = try objects(updates(scene).0, "deliveries")
        #expect(groups.map { $0["count"] } == [.integer(count)])
        #expect(groups.first?["number"] == .integer(count))
        guard case .array(let devices)? = groups.first?["devices"] else { throw ControlScene.NoResponse() }
        #expect(devices.count == min(count, 20))
        // Deliveries with another body are another group.
        try await scene.hub.send(.apple(#"{"aps":{"alert":"Bye"}}"#), to: .tag("news"))
        #expect(try objects(updates(scene).0, "deliveries").count == 2)
    }

    @Test func `filters all recorded deliveries`() async throws {
        let scene = try ControlScene()
        try await scene.register("phone")
        try await scene.send("Needle")
        for number in 1...250 { try await scene.send("Hay \(number)") }
        #expect(try objects(updates(scene).0, "deliveries").count == 200)
        func matches(_ filter: String) throws -> Int {
            try objects(scene.response("GET", "updates?filter=\(filter)").object(), "deliveries").count
        }
        #expect(try (matches("needle"), matches("hay%20250"), matches("straw")) == (1, 1, 0))
        #expect(try (matches("PHONE"), matches("news"), matches("alert")) == (200, 200, 200))
    }

    @Test func `receives scheduled messages, and requests with the cause of a failure`() async throws {
        let scene = try ControlScene()
        let (_, revision) = try updates(scene)
        _ = try await scene.hub.schedule(
            .template(["message": "Later"]), to: .tag("news"), at: Date(timeIntervalSinceNow: 3600))
        let (update, secondRevision) = try updates(scene, since: revision)
        #expect(try objects(update, "scheduled").map { $0["tags"] } == [.string("news")])
        #expect(secondRevision != revision)

        let request = HTTPRequest(
            method: "GET", target: "/other/installations/1?api-version=2020-06", headers: ["Host": "127.0.0.1:8350"],
            body: [], keepsAlive: true)
        guard case .respond = scene.dispatcher.handle(request) else { throw ControlScene.NoResponse() }
        let requests = try objects(updates(scene).0, "requests")
        #expect(requests.map { $0["path"] } == [.string("/other/installations/1")])
        guard case .string(let cause)? = requests.first?["cause"] else { throw ControlScene.NoResponse() }
        #expect(!cause.isEmpty && !cause.contains("TrackingId"), "\(cause)")
    }

    @Test func `shows which messages no device received`() async throws {
        let scene = try ControlScene()
        func send(_ format: String, _ body: String) throws -> JSONObject {
            let body: JSONObject = ["format": .string(format), "body": .string(body), "tag": .string("news")]
            return try scene.mutate("POST", "send", String(decoding: JSONValue.object(body).bytes, as: UTF8.self))
                .object()
        }
        let unmatched = try send("template", #"{"message":"Hello"}"#)
        #expect(unmatched["deliveries"] == .integer(0))
        #expect(unmatched["failure"] == .string("no device received it: no registered device matches"))
        #expect(try objects(updates(scene).0, "failedMessages").map { $0["failure"] } == [unmatched["failure"]])

        try await scene.register("phone")
        #expect(try send("template", #"{"message":"Hello"}"#)["failure"] == nil)
        try scene.emulator.seed(
            Installation(id: "pixel", pushChannel: .fcmV1(registrationToken: "t"), tags: ["news"]))
        let refused = try send("fcmv1", #"{"message":{"priority":"high"}}"#)
        #expect(refused["deliveries"] == .integer(0))
        #expect(refused["failure"] == .string("not delivered to 1 device: rejected by Firebase"))
    }

    @Test func `returns the connection string of a hub for the address that the browser uses`() throws {
        let scene = try ControlScene()
        let text = try scene.response("GET", "connection").object()["connectionString"]
        let key = scene.emulator.policies[0]
        #expect(
            text
                == .string(
                    "\(key.connectionString(endpoint: "sb://127.0.0.1:8350/"));UseDevelopmentEmulator=true"))
    }

    @Test func `shows the program of the README`() throws {
        let readme = try String(contentsOf: Fixtures.url("../README.md"), encoding: .utf8)
        #expect(readme.contains("```swift\n\(PageFiles.program)```"))
    }

    @Test func `receives only the start of long bodies and templates`() async throws {
        let scene = try ControlScene()
        let long = String(repeating: "ä", count: 10_000)
        var phone = Installation(
            id: "phone", pushChannel: PushChannel(platform: .gcm, handle: "x"), tags: ["news"],
            templates: [
                "alert": .init(body: #"{"aps":{"alert":"$(message)"},"x":"LONG"}"#.replacing("LONG", with: long))
            ])
        phone.templates["short"] = .init(body: "{}", tags: ["other"])
        try await scene.hub.putInstallation(phone)
        try await scene.send("Hello")
        let object = try updates(scene).0
        guard case .array(let deliveries)? = object["deliveries"], case .object(let delivery)? = deliveries.first,
            case .string(let body)? = delivery["body"], case .array(let installations)? = object["installations"],
            case .object(let installation)? = installations.first,
            case .object(let templates)? = installation["templates"], case .object(let alert)? = templates["alert"],
            case .string(let template)? = alert["body"]
        else { throw ControlScene.NoResponse() }
        #expect((body.unicodeScalars.count, template.unicodeScalars.count) == (4096, 500))
        #expect(scene.emulator.deliveries[0].body.hasPrefix(body))
        #expect(delivery["byteCount"] == .integer(scene.emulator.deliveries[0].body.utf8.count))
        #expect(delivery["isTruncated"] == .bool(true) && alert["isTruncated"] == .bool(true))
        #expect(templates["short"] == .object(["body": .string("{}"), "tags": .array([.string("other")])]))
        #expect(installation["pushChannel"] == nil)

        // The page loads the whole installation and delivery when the user opens it.
        #expect(try scene.response("GET", "installations?installation=phone").text.contains(long))
        #expect(try scene.response("GET", "deliveries?after=0&limit=1").text.contains(long))
        #expect(
            try scene.response("GET", "installations?installation=other").text == #"{"count":0,"installations":[]}"#)
    }
}

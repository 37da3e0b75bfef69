import Foundation
import HubTestSupport
import NotificationHubs
import NotificationHubsEmulator
import Testing

@Suite struct TelemetryServiceTests {
    let scene: Scene

    init() throws {
        scene = try Scene()
        let template = #""templates":{"t":{"body":"{}"}}"#
        try scene.putPhone(template + #","tags":["a"]"#)
        try scene.putPhone(template, id: "tablet")
        let wrapped = #""templates":{"t":{"body":"{\"message\":{}}"}}"#
        try scene.putPhone(wrapped, id: "watch", platform: "fcmv1")
    }

    /// Returns a client of the hub that uses the scene's clock.
    private func hub(_ scene: Scene) throws -> NotificationHub {
        try NotificationHub(
            connectionString: "Endpoint=sb://127.0.0.1:8080/;SharedAccessKeyName=\(scene.emulator.policies[0].name);"
                + "SharedAccessKey=\(scene.emulator.policies[0].key);UseDevelopmentEmulator=true",
            hubName: "push", transport: InProcess(scene: scene), options: .patient())
    }

    private struct InProcess: HubTransport {
        let scene: Scene

        func send(_ request: HubRequest, timeout: Duration) async throws -> HubResponse {
            var request = request
            request.headers["Authorization"] = scene.token()
            return scene.emulator.respond(to: request)
        }
    }

    @Test func `returns a notification's outcome`() async throws {
        let hub = try hub(scene)
        let receipt = try await hub.send(.template(["a": "<b> & \"c\""]), to: .everyone)
        let outcome = try await hub.outcome(of: try #require(receipt.notificationID))
        #expect(outcome.notificationID == receipt.notificationID)
        #expect(outcome.state == .completed)
        #expect(outcome.counts == [.apple: [.success: 2], .fcmV1: [.success: 1]])
        #expect(outcome.targetPlatforms == [.apple, .fcmV1])
        #expect((outcome.enqueueTime, outcome.startTime, outcome.endTime) == (scene.now, scene.now, scene.now))
        #expect(outcome.body == #"{"a":"<b> & \"c\""}"#)
        #expect(outcome.tags == nil)
        #expect(outcome.location?.contains("/push/messages/NH-") == true)
    }

    @Test func `reports a notification without recipients`() async throws {
        let hub = try hub(scene)
        let receipt = try await hub.send(.apple("{}"), to: .tag("unused"))
        let outcome = try await hub.outcome(of: try #require(receipt.notificationID))
        #expect((outcome.state, outcome.tags, outcome.targetPlatforms) == (.noTargetFound, "unused", [.apple]))
        #expect(outcome.counts.isEmpty)
    }

    @Test func `rejects an unknown notification and tiers below Standard`() throws {
        #expect(try scene.call(.get, "/messages/NH-1-2-3").status == 404)
        for tier in [HubEmulator.Tier.free, .basic] {
            let response = try Scene(tier: tier).call(.get, "/messages/NH-1-2-3")
            #expect(response.status == 403 && response.text.contains("is not available for your tier"))
        }
    }

    @Test(arguments: ["api-version=2020-06&test", "test=true&api-version=2020-06"])
    func `sends a test message to at most ten devices and reports each outcome`(query: String) throws {
        for number in 1...9 { try scene.putPhone(#""tags":["a"]"#, id: "phone-\(number)") }
        try scene.putPhone(#""tags":["a"]"#, id: "zebra")
        let response = try scene.send("{}", format: "apple", tags: "a", query: query)
        #expect(response.status == 201)
        #expect(response.headers["Content-Type"] == "application/xml; charset=utf-8")
        #expect(response.id.hasPrefix("NH-"))
        #expect(scene.reached() == ["phone"] + (1...9).map { "phone-\($0)" })
        #expect(response.text.contains("<Success>10</Success><Failure>0</Failure><Results><RegistrationResult>"))
        #expect(response.text.contains("<ApplicationPlatform>apns</ApplicationPlatform><PnsHandle>AB01</PnsHandle>"))
    }

    @Test func `reports a test send without recipients`() async throws {
        let outcome = try await hub(scene).testSend(.apple("{}"), to: .tag("unused"))
        #expect((outcome.successCount, outcome.failureCount, outcome.results) == (0, 0, []))
    }

    // MARK: Scheduled notifications

    @Test(arguments: ["2030-01-01T00:10:00", "2030-01-01T00:10:00.000Z"])
    func `sends a scheduled notification to its recipients at the due time`(time: String) throws {
        let response = try scene.send(
            tags: "t", path: "/schedulednotifications", ["ServiceBusNotification-ScheduleTime": time])
        #expect(response.status == 201)
        #expect(response.headers["Location"]?.contains("/push/schedulednotifications/\(response.id)?") == true)
        #expect(try scene.call(.get, "/messages/\(response.id)").text.contains("<State>Scheduled</State>"))
        try scene.call(.delete, "/installations/tablet")
        scene.wait(599)
        #expect(scene.reached().isEmpty)
        scene.wait(60)
        #expect(scene.reached() == ["phone/t", "watch/t"])
        #expect(scene.emulator.deliveries.map(\.date) == Array(repeating: Scene.start + 600, count: 2))
        #expect(scene.emulator.deliveries.allSatisfy { $0.notificationID.description == response.id })
        #expect(try scene.call(.get, "/messages/\(response.id)").text.contains("<State>Completed</State>"))
        #expect(try scene.call(.delete, "/schedulednotifications/\(response.id)").status == 404)
    }

    @Test(arguments: ["direct", "test=true"])
    func `rejects a scheduled direct message or test send`(flag: String) throws {
        let response = try scene.send(
            query: "api-version=2020-06&\(flag)", path: "/schedulednotifications",
            ["ServiceBusNotification-ScheduleTime": "2030-01-01T00:10:00"])
        #expect(response.status == 400)
    }

    @Test func `cancels a scheduled notification`() throws {
        let response = try scene.send(
            path: "/schedulednotifications", ["ServiceBusNotification-ScheduleTime": "2030-01-01T00:10:00"])
        #expect(try scene.call(.delete, "/schedulednotifications/\(response.id)").status == 200)
        #expect(try scene.call(.delete, "/schedulednotifications/\(response.id)").status == 404)
        #expect(try scene.call(.get, "/messages/\(response.id)").text.contains("<State>Cancelled</State>"))
        scene.wait(1000)
        #expect(scene.reached().isEmpty)
    }

    @Test(arguments: [
        ("2030-01-01T00:05:00", 201), ("2030-01-01T00:04:59", 400), ("2030-01-08T00:00:00Z", 201),
        ("2030-01-08T00:00:01Z", 400),
        ("soon", 400), ("2029-12-31T00:00:00", 400), (nil, 400),
    ])
    func `accepts schedule times from five minutes to seven days ahead`(time: String?, status: Int) throws {
        var headers: HubHeaders = [:]
        headers["ServiceBusNotification-ScheduleTime"] = time
        #expect(try scene.send(path: "/schedulednotifications", headers).status == status)
    }

    @Test func `runs overdue work in the order of its due times`() throws {
        let scene = try Scene(options: .init(writeDelay: .seconds(400)))
        try scene.putPhone(#""templates":{"t":{"body":"{}"}},"expirationTime":"2030-01-01T00:20:00Z""#)
        for minute in ["05", "10", "15", "25"] {
            try scene.send(
                path: "/schedulednotifications", ["ServiceBusNotification-ScheduleTime": "2030-01-01T00:\(minute):00"])
        }
        scene.wait(3600)
        #expect(scene.emulator.deliveries.map(\.date) == [Scene.start + 600, Scene.start + 900])
    }

    @Test func `schedules only in the Standard tier`() throws {
        for tier in [HubEmulator.Tier.free, .basic] {
            let response = try Scene(tier: tier).send(
                path: "/schedulednotifications", ["ServiceBusNotification-ScheduleTime": "2030-01-01T00:10:00"])
            #expect(response.status == 403 && response.text.contains("is not available for your tier"))
        }
    }
}

import HubServer
import HubText
import NotificationHubs
import Testing

@testable import NotificationHubsEmulator
@testable import NotificationHubsEmulatorServer

@Suite(.timeLimit(.minutes(30))) struct ControlDeliveriesTests {
    @Test func `returns a delivery with all its fields`() async throws {
        let scene = try ControlScene()
        try await scene.register("phone")
        let id = try await scene.hub.send(.template(["message": "<script>"]), to: .tag("news")).notificationID
        let object = try scene.response("GET", "deliveries").object()
        #expect(object["hub"] == .string("push"))
        #expect(object["last"] == .integer(1))
        guard case .array(let deliveries)? = object["deliveries"], case .object(let delivery)? = deliveries.first else {
            Issue.record("no delivery")
            return
        }
        #expect(delivery["number"] == .integer(1))
        #expect(delivery["installationId"] == .string("phone"))
        #expect(delivery["notificationId"] == id.map { .string($0.rawValue) })
        #expect(delivery["platform"] == .string("apns"))
        #expect(delivery["handle"] == .string("0102"))
        #expect(delivery["template"] == .string("alert"))
        #expect(delivery["body"] == .string(#"{"aps":{"alert":"<script>"}}"#))
        #expect(delivery["headers"] == .object([:]))
    }

    @Test(arguments: [
        ("deliveries", [1, 2, 3, 4]), ("deliveries?after=2", [3, 4]), ("deliveries?after=9", []),
        ("deliveries?limit=1", [1]), ("deliveries?installation=phone", [1, 3]), ("deliveries?installation=x", []),
        ("deliveries?installation=tab%6Cet&after=2&hub=PUSH", [4]), ("deliveries?notification=x", []),
    ])
    func `selects deliveries by number, installation and notification`(target: String, numbers: [Int]) async throws {
        let scene = try ControlScene()
        try await scene.register("phone", "tablet")
        for message in ["a", "b"] { try await scene.send(message) }
        #expect(try Self.numbers(scene.response("GET", target)) == numbers)
    }

    @Test(arguments: [
        ("news", [1, 2]), ("alert", [1, 2]), ("late", [3]), ("$InstallationId:%7Bphone%7D", [1, 3]),
        ("$UserId:%7Bzoe%7D", [3]), ("News", []), ("unused", []), ("", []), ("late&installation=phone&after=2", [3]),
        ("news&installation=tablet", [2]),
    ])
    func `selects deliveries by the tags that devices had at delivery`(tag: String, numbers: [Int]) async throws {
        let scene = try ControlScene()
        try await scene.register("phone", "tablet")
        try await scene.send("a")
        let id = try Installation.ID(validating: "phone")
        try await scene.hub.putInstallation(
            Installation(
                id: id, pushChannel: .apple(deviceToken: [1]), userID: .init(validating: "zoe"), tags: ["late"])
        )
        _ = try await scene.hub.send(.apple(#"{"aps":{}}"#), to: .tag("late"))
        _ = try await scene.hub.send(.apple(#"{"aps":{}}"#), to: .device(.apple(deviceToken: [1])))
        #expect(scene.emulator.deliveries.map(\.tags) == [["news", "alert"], ["news", "alert"], ["late"], []])
        #expect(try Self.numbers(scene.response("GET", "deliveries?tag=\(tag)")) == numbers)
    }

    @Test func `shortens bodies and omits headers with a preview`() async throws {
        let scene = try ControlScene()
        let phone = Installation(
            id: "phone", pushChannel: .windows(channelURI: "https://example.com/c"), tags: ["news"],
            templates: ["raw": .init(body: "$(message)", headers: ["X-WNS-Type": "wns/raw"])])
        try await scene.hub.putInstallation(phone)
        try await scene.send("Hello")
        func delivery(_ query: String) throws -> JSONObject? {
            guard case .array(let values)? = try scene.response("GET", "deliveries?\(query)").object()["deliveries"],
                case .object(let delivery)? = values.first
            else { return nil }
            return delivery
        }
        let headers = JSONValue.object(["X-WNS-Type": .string("wns/raw")])
        for (query, body, isTruncated) in [
            ("preview=0", "", true), ("preview=4", "Hell", true), ("preview=17", "Hello", false), ("", "Hello", false),
        ] {
            let object = try delivery(query)
            #expect(object?["body"] == .string(body) && object?["byteCount"] == .integer(5), "\(query)")
            #expect(object?["isTruncated"] == (isTruncated ? .bool(true) : nil), "\(query)")
            #expect(object?["headers"] == (isTruncated ? .object([:]) : headers), "\(query)")
        }
    }

    @Test func `finds a delivery after thousands of others`() async throws {
        let scene = try ControlScene()
        try await scene.register("phone")
        for number in 1...2500 {
            try scene.emulator.seed(
                Installation(
                    id: .init(validating: "\(number)"), pushChannel: .apple(deviceToken: [3]), tags: ["all"]))
        }
        _ = try await scene.hub.send(.apple(#"{"aps":{}}"#), to: .tag("all"))
        try await scene.send("Hello")
        #expect(try Self.numbers(scene.response("GET", "deliveries?installation=phone")) == [2501])
        #expect(try Self.numbers(scene.response("GET", "deliveries")) == Array(1...1000))
        #expect(try Self.numbers(scene.response("GET", "deliveries?after=1200")) == Array(1201...2200))
    }

    @Test(arguments: [
        ("deliveries?after=x", 400), ("deliveries?preview=x", 400), ("deliveries?hub=other", 404),
        ("deliveries?wait=soon", 400),
    ])
    func `rejects invalid parameters`(target: String, status: Int) throws {
        #expect(try ControlScene().response("GET", target).status == status)
    }

    @Test func `responds when a matching delivery arrives`() async throws {
        let scene = try ControlScene()
        try await scene.register("phone")
        try await scene.send("a")
        guard case .poll(let poll) = scene.action("GET", "deliveries?after=1&installation=phone&wait=5") else {
            Issue.record("the response was not delayed")
            return
        }
        #expect(poll.timeout == .seconds(5))
        #expect(poll.check().map { _ in true } == nil)
        guard case .respond(let empty) = poll.onTimeout() else { return }
        #expect(try Self.numbers(empty) == [])
        #expect(try empty.object()["last"] == .integer(1))
        try await scene.send("b")
        guard case .respond(let response)? = poll.check() else {
            Issue.record("no response")
            return
        }
        #expect(try Self.numbers(response) == [2])
    }

    @Test func `waits at most one minute and returns existing deliveries immediately`() async throws {
        let scene = try ControlScene()
        guard case .poll(let poll) = scene.action("GET", "deliveries?wait=3600"), poll.timeout == .seconds(60) else {
            Issue.record("unexpected timeout")
            return
        }
        try await scene.register("phone")
        try await scene.send("a")
        #expect(try Self.numbers(scene.response("GET", "deliveries?wait=60")) == [1])
    }

    @Test func `returns a simulator file that targets the app of the topic`() async throws {
        let scene = try ControlScene()
        var phone = Installation(
            id: try .init(validating: "phone"), pushChannel: .apple(deviceToken: [1]), tags: ["news"],
            templates: ["alert": .init(body: #"{"aps":{"alert":"$(message)"}}"#)])
        phone.templates["alert"]?.headers["apns-topic"] = "com.example.app"
        try await scene.hub.putInstallation(phone)
        try await scene.send("Hello")
        let response = try scene.response("GET", "deliveries/1.apns")
        #expect(response.text == #"{"Simulator Target Bundle":"com.example.app","aps":{"alert":"Hello"}}"#)
        #expect(response.headers["Content-Disposition"] == "attachment; filename=\"delivery-1.apns\"")
    }

    @Test(arguments: [
        ("deliveries/1.apns", 409), ("deliveries/2.apns", 404), ("deliveries/0.apns", 404), ("deliveries/1", 404),
    ])
    func `returns no simulator file for another platform or delivery`(target: String, status: Int) async throws {
        let scene = try ControlScene()
        try await scene.hub.putInstallation(
            Installation(
                id: .init(validating: "phone"), pushChannel: .fcmV1(registrationToken: "x"), tags: ["news"],
                templates: ["alert": .init(body: #"{"message":{"data":{"x":"$(message)"}}}"#)]))
        try await scene.send("Hello")
        #expect(try scene.response("GET", target).status == status)
    }

    @Test func `keeps the latest deliveries and continues their numbers after a reset`() async throws {
        let scene = try ControlScene(options: .init(deliveryLimit: 2))
        try await scene.register("phone")
        for message in ["a", "b", "c", "d", "e"] { try await scene.send(message) }
        #expect(scene.emulator.deliveries.map(\.number) == [4, 5])
        #expect(try scene.mutate("POST", "reset", "{}").status == 200)
        #expect(scene.emulator.deliveries.isEmpty)
        #expect(scene.emulator.installations.isEmpty)
        try await scene.register("phone")
        try await scene.send("f")
        #expect(try Self.numbers(scene.response("GET", "deliveries?after=2")) == [6])
    }

    private static func numbers(_ response: HTTPResponse) throws -> [Int] {
        guard case .array(let values)? = try response.object()["deliveries"] else { return [] }
        return values.compactMap { value in
            guard case .object(let delivery) = value, case .number(let number)? = delivery["number"] else { return nil }
            return Int(number.text)
        }
    }
}

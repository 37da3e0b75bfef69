import HubServer
import NotificationHubs
import Testing

@testable import NotificationHubsEmulator
@testable import NotificationHubsEmulatorServer

@Suite struct ControlSendTests {
    @Test(arguments: [
        (#""tag":"news""#, 1), (#""everyone":true"#, 1), (#""tag":"sports""#, 0),
        (#""everyone":false,"tag":"news""#, 1),
        (#""hub":"push","tag":"alert""#, 1),
    ])
    func `sends to the given target`(target: String, count: Int) async throws {
        let scene = try ControlScene()
        try await scene.register("phone")
        let response = try scene.mutate(
            "POST", "send", #"{"format":"template","body":"{\"message\":\"x\"}",\#(target)}"#)
        #expect(response.status == 200)
        let object = try response.object()
        #expect(object["status"] == .integer(201))
        #expect(scene.emulator.deliveries.count == count)
        if let delivery = scene.emulator.deliveries.first {
            #expect(object["notificationId"] == .string("\(delivery.notificationID)"))
        }
    }

    @Test func `does not warn about an explicit broadcast`() async throws {
        let scene = try ControlScene()
        try await scene.register("phone")
        let body = #"{"format":"template","body":"{\"message\":\"x\"}","everyone":true}"#
        #expect(try scene.mutate("POST", "send", body).status == 200)
        #expect(scene.emulator.deliveries.count == 1)
        #expect(scene.emulator.warnings.isEmpty)
    }

    @Test(arguments: [
        #"{"format":"template","body":"{}"}"#, #"{"format":"template","body":"{}","tag":"a","everyone":true}"#,
        #"{"format":"template","body":"{}","tag":"a","expression":"b"}"#,
        #"{"format":"template","body":"{}","everyone":false}"#, #"{"format":"template","body":"{}","everyone":"true"}"#,
        #"{"format":"template","body":"{}","tag":""}"#, #"{"format":"template","body":"{}","tag":"a||b"}"#,
        #"{"format":"template","body":"{}","expression":""}"#,
        #"{"format":"template","body":"{}","expression":"a\r\nb"}"#, #"{"format":"a\nb","body":"{}","tag":"a"}"#,
        #"{"body":"{}","tag":"a"}"#, #"{"format":"template","tag":"a"}"#,
        #"{"format":"template","body":{},"tag":"a"}"#, #"{"format":"template","body":"{}","tags":"a"}"#,
    ])
    func `rejects a message without exactly one valid target`(body: String) async throws {
        let scene = try ControlScene()
        try await scene.register("phone")
        #expect(try scene.mutate("POST", "send", body).status == 400)
        #expect(scene.emulator.deliveries.isEmpty)
    }

    @Test(arguments: [
        ("Windows", "<toast/>"), ("windows", "raw"), ("windowsphone", "<wp:Toast></wp:Toast>"),
        ("WindowsPhone", "<wp:Tile></wp:Tile>"), ("windowsphone", "raw"), ("Apple", "{}"), ("baidu", "{}"),
    ])
    func `sends native payloads for every platform`(format: String, message: String) throws {
        let body: JSONObject = [
            "format": .string(format), "body": .string(message), "everyone": .bool(true),
        ]
        let text = String(decoding: JSONValue.object(body).bytes, as: UTF8.self)
        #expect(try ControlScene().mutate("POST", "send", text).object()["status"] == .integer(201))
    }

    @Test func `returns the hub's error text`() throws {
        let scene = try ControlScene()
        let body = #"{"format":"template","body":"not JSON","everyone":true}"#
        let object = try scene.mutate("POST", "send", body).object()
        #expect(object["status"] == .integer(400))
        guard case .string(let detail)? = object["detail"] else {
            Issue.record("no detail")
            return
        }
        #expect(!detail.isEmpty && !detail.contains("<Detail>") && !detail.contains("TrackingId"))
    }
}

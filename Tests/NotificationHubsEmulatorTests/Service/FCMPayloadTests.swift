import NotificationHubs
@testable import NotificationHubsEmulator
import Testing

/// FCM v1 messages that the hub accepts and Firebase rejects.
@Suite struct FCMPayloadTests {
    private let scene: Scene

    init() throws {
        scene = try Scene()
        try scene.putPhone(#""tags":["news"]"#, id: "tablet", platform: "fcmv1")
    }

    /// The problem of an unwrapped body.
    private static let unwrapped = #"Firebase rejects a body without an object message: send {"message":{…}}"#
    private static let invalidData = "Firebase rejects message.data: it must be an object with strings as values"

    private func outcome(of response: HubResponse) throws -> String {
        let text = try scene.call(.get, "/messages/\(response.id)").text
        let start = try #require(text.firstRange(of: "<FcmV1OutcomeCounts>")).upperBound
        return String(text[start...].prefix { $0 != "/" })
    }

    @Test(arguments: [
        (#"{"notification":{"title":"a"}}"#, unwrapped), (#"{"message":"a"}"#, unwrapped), ("{}", unwrapped),
        (#"{"message":{"data":{"a":1}}}"#, invalidData), (#"{"message":{"data":"a"}}"#, invalidData),
        (#"{"message":{}}"#, nil), (#"{"message":{"data":{"a":"1"}}}"#, nil), (#"{"message":{"data":null}}"#, nil),
    ])
    func `accepts a native message and checks it as Firebase does`(body: String, problem: String?) throws {
        let response = try scene.send(body, format: "fcmv1", tags: "news")
        #expect(response.status == 201)
        #expect(scene.emulator.warnings.map(\.text) == [problem].compactMap(\.self))
        #expect(scene.emulator.deliveries.map(\.body) == (problem == nil ? [body] : []))
        let name = problem == nil ? "Success" : "InvalidNotificationFormat"
        #expect(try outcome(of: response).contains("<Outcome><Name>\(name)<"))
    }

    @Test func `checks each filled template`() throws {
        for (id, body) in [("a", #"{\"text\":\"$(text)\"}"#), ("b", #"{\"message\":{\"data\":{\"t\":\"$(text)\"}}}"#)] {
            #expect(
                try scene.putPhone(#""templates":{"t":{"body":"\#(body)"}}"#, id: id, platform: "fcmv1").status == 200)
        }
        let response = try scene.send(#"{"text":"x"}"#)
        #expect(response.status == 201)
        #expect(scene.emulator.deliveries.map(\.body) == [#"{"message":{"data":{"t":"x"}}}"#])
        #expect(scene.emulator.warnings.map(\.text).contains(Self.unwrapped))
        let outcome = try scene.call(.get, "/messages/\(response.id)").text
        #expect(
            outcome.contains(
                "<Outcome><Name>Success</Name><Count>1</Count></Outcome>"
                    + "<Outcome><Name>InvalidNotificationFormat</Name><Count>1</Count></Outcome>"))
    }

    @Test func `keeps the device of a rejected message`() throws {
        try scene.send(#"{"notification":{}}"#, format: "fcmv1", tags: "news")
        #expect(scene.emulator.installations.first?.isPushChannelExpired == false)
        try scene.send(#"{"message":{}}"#, format: "fcmv1", tags: "news")
        #expect(scene.emulator.deliveries.count == 1)
    }

    @Test func `reports the failure in a test send`() throws {
        let response = try scene.send(
            #"{"notification":{}}"#, format: "fcmv1", tags: "news", query: "api-version=2020-06&test")
        #expect(response.status == 201)
        #expect(response.text.contains("<Success>0</Success><Failure>1</Failure>"))
        #expect(response.text.contains("<Outcome>InvalidNotificationFormat</Outcome>"))
    }
}

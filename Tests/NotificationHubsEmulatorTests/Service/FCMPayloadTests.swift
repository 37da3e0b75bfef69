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

    private func outcome(of response: HubResponse) throws -> String {
        let text = try scene.call(.get, "/messages/\(response.id)").text
        let start = try #require(text.firstRange(of: "<FcmV1OutcomeCounts>")).upperBound
        return String(text[start...].prefix { $0 != "/" })
    }

    @Test(arguments: [
        (
            #"{"notification":{"title":"a"}}"#,
            #"notification: Firebase requires an object message around it: write {"message":{"notification":…}}"#
        ),
        (#"{"message":"a"}"#, #"message: must be an object: send {"message":{…}}"#),
        ("{}", #"message: missing: send {"message":{…}}"#),
        (#"{"message":{"data":{"a":1}}}"#, "message.data.a: must be a string: put it in quotes"),
        (#"{"message":{"data":"a"}}"#, "message.data: must be an object: write an object"),
        (#"{"message":{}}"#, nil), (#"{"message":{"data":{"a":"1"}}}"#, nil), (#"{"message":{"data":null}}"#, nil),
    ])
    func `accepts a native message and checks it as Firebase does`(body: String, problem: String?) throws {
        let response = try scene.send(body, format: "fcmv1", tags: "news")
        #expect(response.status == 201)
        #expect(
            scene.emulator.warnings.map(\.text)
                == (problem.map {
                    ["Firebase will reject the message: \($0)", "rejected by Firebase: not delivered to 1 recipient"]
                } ?? []))
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
        let unwrapped = #"Firebase will reject the message: message: missing: send {"message":{…}}"#
        #expect(scene.emulator.warnings.map(\.text).contains(unwrapped))
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

    @Test(arguments: [
        ("apns", "apple", #"{"aps":{"alert":""# + String(repeating: "a", count: 4096) + #""}}"#, "Apple"),
        ("apns", "apple", #"{"aps":{"alert":"a"}}"#, nil), ("adm", "adm", #"{"data":{"a":1}}"#, "Amazon"),
        ("apns", "apple", #"{"x":1}"#, nil),
    ])
    func `does not deliver what any platform refuses`(
        platform: String, format: String, body: String, vendor: String?
    ) throws {
        try scene.putPhone(#""tags":["other"]"#, platform: platform)
        let response = try scene.send(body, format: format, tags: "other")
        #expect(response.status == 201)
        #expect(scene.emulator.deliveries.count == (vendor == nil ? 1 : 0))
        let rejection = vendor.map { "rejected by \($0): not delivered to 1 recipient" }
        #expect(scene.emulator.warnings.last { $0.text.hasPrefix("rejected") }?.text == rejection)
        let outcome = try scene.call(.get, "/messages/\(response.id)").text
        #expect(outcome.contains("<Name>InvalidNotificationFormat</Name><Count>1</Count>") == (vendor != nil))
    }

    @Test func `forwards the headers of a template message to their platform`() throws {
        let scene = try Scene()
        try scene.putPhone(#""tags":["a"],"templates":{"t":{"body":"{\"aps\":{\"alert\":\"a\"}}"}}"#)
        try scene.putPhone(
            #""tags":["a"],"templates":{"t":{"body":"{\"aps\":{\"alert\":\"a\"}}","headers":{"apns-push-type":"alert"}}}"#,
            id: "own")
        try scene.putPhone(
            #""tags":["a"],"templates":{"t":{"body":"{\"message\":{}}"}}"#, id: "tablet", platform: "fcmv1")
        try scene.send(#"{"a":"b"}"#, tags: "a", ["apns-push-type": "voip", "X-WNS-TTL": "5"])
        #expect(
            scene.emulator.deliveries.map { [$0.installationID?.rawValue ?? "": $0.headers] } == [
                ["own": ["apns-push-type": "alert"]], ["phone": ["apns-push-type": "voip"]], ["tablet": [:]],
            ])
    }

    @Test func `reports the failure in a test send`() throws {
        let response = try scene.send(
            #"{"notification":{}}"#, format: "fcmv1", tags: "news", query: "api-version=2020-06&test")
        #expect(response.status == 201)
        #expect(response.text.contains("<Success>0</Success><Failure>1</Failure>"))
        #expect(response.text.contains("<Outcome>InvalidNotificationFormat</Outcome>"))
    }
}

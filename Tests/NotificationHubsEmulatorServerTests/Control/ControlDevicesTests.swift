import HubServer
import Foundation
import NotificationHubs
import Testing

@testable import NotificationHubsEmulator
@testable import NotificationHubsEmulatorServer

@Suite struct ControlDevicesTests {
    @Test func `returns registrations with tags and kind, but without handles`() async throws {
        let scene = try ControlScene()
        try await scene.register("phone")
        let native = try await scene.hub.createRegistration(
            Registration(pushChannel: .fcmV1(registrationToken: "secret"), tags: ["news", "a:b"]))
        let template = try await scene.hub.createRegistration(
            Registration(pushChannel: .apple(deviceToken: [1]), template: .init(body: "{}")))
        let object = try scene.response("GET", "registrations").object()
        #expect(object["count"] == .integer(2))
        func json(_ entry: Registration.Entry, _ platform: String, _ kind: String, _ tags: [String])
            -> JSONValue
        {
            .object([
                "registrationId": .string(entry.id.rawValue), "platform": .string(platform), "kind": .string(kind),
                "tags": .array(tags.map { .string($0) }),
            ])
        }
        let expected = [
            (native.id.rawValue, json(native, "fcmV1", "native", ["news", "a:b"])),
            (template.id.rawValue, json(template, "apns", "template", [])),
        ].sorted { $0.0 < $1.0 }.map(\.1)
        #expect(object["registrations"] == .array(expected))
        #expect(try scene.response("GET", "registrations?limit=1").object()["registrations"] == .array([expected[0]]))
        let news = try scene.response("GET", "updates").object()
        let long = String(repeating: "a", count: 1001)
        #expect(try scene.response("GET", "updates?filter=\(long)").status == 400)
        #expect(news["registrationCount"] == .integer(2) && news["registrations"] == .array(expected))
        guard case .array(let hubs)? = try scene.response("GET", "hubs").object()["hubs"],
            case .object(let hub) = hubs[0]
        else { throw ControlScene.NoResponse() }
        #expect(hub["registrations"] == .integer(2) && hub["installations"] == .integer(1))
    }

    @Test func `returns scheduled messages in the order in which they are due, without their bodies`() async throws {
        let scene = try ControlScene()
        let start = Date(timeIntervalSince1970: (Date().timeIntervalSince1970 + 3600).rounded())
        let message = PushNotification.template(["message": "secret"])
        let second = try await scene.hub.schedule(message, to: .everyone, at: start + 60)
        let first = try await scene.hub.schedule(message, to: .tag("news"), at: start)
        let cancelled = try await scene.hub.schedule(message, to: .tag("news"), at: start)
        _ = try await scene.hub.cancelScheduledNotification(cancelled)
        #expect(
            try scene.response("GET", "scheduled?hub=push").object()["scheduled"]
                == .array([
                    .object([
                        "notificationId": .string(first.rawValue), "format": .string("template"), "due": .date(start),
                        "tags": .string("news"),
                    ]),
                    .object([
                        "notificationId": .string(second.rawValue), "format": .string("template"),
                        "due": .date(start + 60),
                    ]),
                ]))
    }

    @Test func `makes a platform reject a device`() async throws {
        let scene = try ControlScene()
        try await scene.register("phone")
        #expect(try scene.mutate("POST", "expire", #"{"hub":"push","platform":"APNS","handle":"0102"}"#).status == 200)
        try await scene.send("hi")
        #expect(scene.emulator.deliveries.isEmpty)
        #expect(scene.emulator.installations.first?.isPushChannelExpired == true)
    }

    @Test(arguments: [
        #"{"platform":"apns"}"#, #"{"handle":"AB"}"#, #"{"platform":"fcm","handle":"AB"}"#,
        #"{"platform":"apns","handle":""}"#, #"{"platform":"apns","handle":"AB","tag":"x"}"#,
    ])
    func `rejects a request to expire an invalid channel`(body: String) throws {
        #expect(try ControlScene().mutate("POST", "expire", body).status == 400)
    }

    @Test func `creates a container once, with a URL for the request's host`() throws {
        let scene = try ControlScene()
        let first = try scene.mutate("POST", "containers", #"{"name":"jobs"}"#).object()["url"]
        guard case .string(let url)? = first else { throw ControlScene.NoResponse() }
        #expect(url.hasPrefix("http://127.0.0.1:8350/$emulator/blobs/push/jobs?sig="))
        #expect(try scene.mutate("POST", "containers", #"{"hub":"push","name":"jobs"}"#).object()["url"] == first)
        for body in ["{}", #"{"name":"Jobs"}"#, #"{"name":"jobs","x":1}"#, #"{"name":1}"#] {
            #expect(try scene.mutate("POST", "containers", body).status == 400, "\(body)")
        }
        let target = String(url.dropFirst("http://127.0.0.1:8350/$emulator/".count))
        let list = "&restype=container&comp=list"
        #expect(try scene.response("GET", target + list, host: "emulator:8350").status == 200)
        #expect(try scene.response("GET", target.dropLast() + list).status == 403)
    }
}

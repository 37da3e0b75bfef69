import Foundation
import NotificationHubs
import NotificationHubsEmulator
@testable import PushBackend
import Testing

/// `POST /api/notifications` in the mode `notifyUsers`.
@Suite struct NotificationTests {
    private static func scene() async throws -> BackendScene {
        let scene = try BackendScene()
        await scene.putPhone("phone", handle: "AB01", as: "alice")
        await scene.putPhone("tablet", handle: "AB02", as: "alice")
        await scene.putPhone("other", handle: "CD01", as: "bob")
        return scene
    }

    @Test func `sends only to the caller's devices`() async throws {
        let scene = try await Self.scene()
        let response = await scene.call("POST", "/api/notifications", #"{"message":"Dinner"}"#, as: "alice")
        #expect(response.status == 200)
        #expect(response.body.isEmpty)
        #expect(scene.deliveredHandles == ["AB01", "AB02"])
        #expect(
            scene.emulator.deliveries.map(\.body) == [#"{"aps":{"alert":"Dinner"}}"#, #"{"aps":{"alert":"Dinner"}}"#])
    }

    /// Names that a tag expression or a string comparison could confuse with alice.
    @Test(arguments: [
        "mallory", "Alice", "ALICE", "al\u{131}ce", "alice ", "mallory||username:alice", "x) || username:alice", "*",
        "",
        "username:alice", "#61lice", "!x", "$UserId:{alice}", String(repeating: "alice", count: 40), "alice\u{200B}",
    ])
    func `does not send to a user with a similar name`(name: String) async throws {
        let scene = try await Self.scene()
        #expect(await scene.call("POST", "/api/notifications", #""Boo""#, as: name).status == 200)
        #expect(scene.deliveredHandles.isEmpty)
        #expect(await scene.putPhone("new", handle: "EF01", as: name) == 200)
        #expect(await scene.call("POST", "/api/notifications", #""Boo""#, as: name).status == 200)
        #expect(scene.deliveredHandles == ["EF01"])
    }

    @Test func `escapes the text for each platform`() async throws {
        let scene = try BackendScene()
        for (id, platform) in [("1", "apns"), ("2", "fcmV1"), ("3", "wns")] {
            await scene.call(
                "PUT", "/api/installations/\(id)", #"{"platform":"\#(platform)","pushChannel":"AB0\#(id)"}"#,
                as: "alice")
        }
        let body = try JSONEncoder().encode(#"<b> & "quotes" \ $(message)"#)
        #expect(await scene.call("POST", "/api/notifications", bytes: Array(body), as: "alice").status == 200)
        let bodies = Dictionary(scene.emulator.deliveries.map { ($0.pushChannel.handle, $0.body) }) { first, _ in first
        }
        #expect(bodies["AB01"] == #"{"aps":{"alert":"<b> & \"quotes\" \\ $(message)"}}"#)
        let text = #""<b> & \"quotes\" \\ $(message)""#
        #expect(bodies["AB02"] == #"{"message":{"data":{"message":\#(text)},"notification":{"body":\#(text)}}}"#)
        #expect(bodies["AB03"]?.contains(#"<text id="1">&lt;b&gt; &amp; "quotes" \ $(message)</text>"#) == true)
    }

    @Test func `sends to the platform in pns, and accepts the caller in to_tag`() async throws {
        let scene = try await Self.scene()
        #expect(
            await scene.call("POST", "/api/notifications?pns=APNS&to_tag=alice", #""Hi""#, as: "alice").status == 200)
        #expect(scene.deliveredHandles.count == 2)
        #expect(
            await scene.call("POST", "/api/notifications?pns=wns&to_tag=alice", #""Hi""#, as: "alice").status == 200)
        #expect(scene.deliveredHandles.count == 2)
    }

    @Test(arguments: [
        ("?to_tag=bob", #""Hi""#, 403), ("?to_tag=Alice", #""Hi""#, 403), ("?to_tag=alice%20", #""Hi""#, 403),
        ("?to_tag=", #""Hi""#, 403),
        ("?pns=pigeon", #""Hi""#, 400), ("?pns=adm", #""Hi""#, 400), ("?pns=%ff", #""Hi""#, 400),
        ("?pns=apns&PNS=wns", #""Hi""#, 400),
        ("", #""""#, 400), ("", "{}", 400), ("", #"{"message":1}"#, 400), ("", #"{"message":""}"#, 400), ("", "1", 400),
        ("", "null", 400),
        ("", #"{"payload":"x"}"#, 400), ("", #""\u0001""#, 400),
        ("", #""\#(String(repeating: "x", count: 65_500))""#, 413),
        ("", #""\#(String(repeating: "x", count: 2_100))""#, 413),
        ("?pns=apns", #""\#(String(repeating: "x", count: 4_100))""#, 413),
    ])
    func `rejects an invalid message without sending anything`(query: String, body: String, status: Int) async throws {
        let scene = try await Self.scene()
        let response = await scene.call("POST", "/api/notifications" + query, body, as: "alice")
        #expect(response.status == status)
        #expect(response.error != nil)
        #expect(scene.deliveredHandles.isEmpty)
    }

    @Test func `sends a message that only another platform would refuse`() async throws {
        let scene = try await Self.scene()
        let message = #""\#(String(repeating: "x", count: 2_100))""#
        #expect(await scene.call("POST", "/api/notifications?pns=apns", message, as: "alice").status == 200)
        #expect(scene.deliveredHandles.count == 2)
    }

    @Test func `rejects a missing body unless a default message is set`() async throws {
        #expect(try await BackendScene().call("POST", "/api/notifications", nil, as: "alice").status == 400)
        let scene = try BackendScene(.notifyUsers, messageWithoutBody: "Hello")
        await scene.putPhone("phone", as: "alice")
        #expect(await scene.call("POST", "/api/notifications", nil, as: "alice").status == 200)
        #expect(scene.emulator.deliveries.map(\.body) == [#"{"aps":{"alert":"Hello"}}"#])
    }

    @Test func `sends the notifications that the closure builds`() async throws {
        let scene = try BackendScene(mode: .notifyUsers { [.template(["message": $0])] })
        await scene.putPhone(
            "phone", as: "alice", #""templates":{"t":{"body":"{\"aps\":{\"alert\":\"$(message)\"}}"}}"#)
        #expect(await scene.call("POST", "/api/notifications", #""Hi""#, as: "alice").status == 200)
        #expect(scene.emulator.deliveries.map(\.body) == [#"{"aps":{"alert":"Hi"}}"#])
    }

    @Test func `returns 404 for a payload`() async throws {
        #expect(try await BackendScene().call("GET", "/api/notifications/7", as: "alice").status == 404)
    }
}

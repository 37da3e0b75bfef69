import NotificationHubs
@testable import NotificationHubsEmulator
import Testing

/// Tests of the emulator's memory limits.
@Suite struct MemoryTests {
    @Test(arguments: [(3, 1000, [8, 9, 10]), (100, 35, [8, 9, 10]), (100, 5, [10]), (0, 0, [10])])
    func `keeps the latest elements of a history within its limits`(limit: Int, byteLimit: Int, kept: [Int]) {
        var history = History<Int>(limit: limit, byteLimit: byteLimit) { _ in 10 }
        for number in 1...10 { history.append(number) }
        #expect((history.count, Array(history.latest)) == (10, kept))
        #expect(Array(history.after(9)) == [10])
        #expect(Array(history.after(0, limit: 1)) == [kept[0]])
        history.removeAll()
        #expect((history.count, Array(history.latest)) == (10, []))
        history.append(11)
        #expect((history.count, Array(history.latest)) == (11, [11]))
    }

    @Test func `releases most elements that a history drops`() {
        final class Element: Sendable {}
        struct WeakReference { weak var element: Element? }
        var history = History<Element>(limit: 100, byteLimit: 1000) { _ in 1 }
        var references: [WeakReference] = []
        for _ in 0..<1000 {
            let element = Element()
            references.append(WeakReference(element: element))
            history.append(element)
            #expect(references.count { $0.element != nil } <= 126)
        }
    }

    @Test func `keeps the deliveries and the telemetry of only the latest large messages`() throws {
        let scene = try Scene()
        let phone = #"{"installationId":"phone","platform":"mpns","pushChannel":"https://example.com/c"}"#
        #expect(try scene.put(phone).status == 200)
        // A raw message avoids parsing 70 MB.
        let body = String(repeating: "a", count: 65_000)
        let headers: HubHeaders = ["Content-Type": "application/octet-stream", "X-NotificationClass": "3"]
        let first = try scene.send(body, format: "windowsphone", headers).id
        var last = ""
        for _ in 1...1100 { last = try scene.send(body, format: "windowsphone", headers).id }
        #expect(scene.emulator.deliveries.last?.number == 1101)
        let bytes = scene.emulator.deliveries.reduce(0) { $0 + $1.body.utf8.count }
        #expect((60 << 20...64 << 20).contains(bytes))
        #expect(try scene.call(.get, "/messages/\(first)").status == 404)
        #expect(try scene.call(.get, "/messages/\(last)").status == 200)
    }

    @Test func `warns about a template that is too long when filled and does not deliver it`() throws {
        let scene = try Scene()
        let long = repeatElement("\"$(p)\"", count: 100).joined(separator: ",")
        let headers = (1...100).map { "\"apns-\($0)\":\"$(p)\"" }.joined(separator: ",")
        for (id, template) in [
            ("long", #"{"body":"{\"a\":[LONG]}"}"#.replacing("LONG", with: long.replacing("\"", with: "\\\""))),
            ("headers", "{\"body\":\"{}\",\"headers\":{\(headers)}}"),
            ("short", #"{"body":"{\"a\":\"$(p)\"}"}"#),
        ] {
            #expect(try scene.putPhone("\"templates\":{\"t\":\(template)}", id: id).status == 200)
        }
        let value = String(repeating: "a", count: 60_000)
        let response = try scene.send("{\"p\":\"\(value)\"}", tags: "t", query: "test&api-version=2020-06")
        #expect(scene.reached() == ["short/t"])
        #expect(response.text.contains("<Success>1</Success>"))
        #expect(
            scene.emulator.warnings.map(\.text).contains(
                "not delivered to 2 of 3 recipients: the filled template exceeds 64 KB"))
        #expect(try scene.call(.get, "/messages/\(response.id)").text.contains("<Count>1</Count>"))
    }

    @Test func `limits scheduled messages to 1000`() throws {
        let scene = try Scene()
        func schedule() throws -> HubResponse {
            try scene.send(
                tags: "t", path: "/schedulednotifications",
                ["ServiceBusNotification-ScheduleTime": "2030-01-01T00:10:00"])
        }
        for _ in 1...1000 { #expect(try schedule().status == 201) }
        #expect(try schedule().status == 403)
        scene.wait(600)
        let response = try scene.send(
            tags: "t", path: "/schedulednotifications", ["ServiceBusNotification-ScheduleTime": "2030-01-01T00:20:00"])
        #expect(response.status == 201)
    }
}

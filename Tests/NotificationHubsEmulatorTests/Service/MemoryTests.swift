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
            #expect(try scene.putPhone("\"templates\":{\"t\":\(template)}", id: id, platform: "gcm").status == 200)
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

    /// A hub whose state, with one installation of 1 MB, exceeds its limit.
    private func fullScene() throws -> Scene {
        let scene = try Scene(memory: MemoryBudget(limit: 100_000))
        let body = String(repeating: "a", count: 100_000)
        #expect(
            try scene.putPhone(#""templates":{"t":{"body":"{\"a\":\"BODY\"}"}}"#.replacing("BODY", with: body)).status
                == 200)
        return scene
    }

    @Test(arguments: [
        (HubRequest.Method.put, "/installations/other"), (.patch, "/installations/phone"), (.post, "/messages"),
        (.post, "/schedulednotifications"), (.post, "/registrations"), (.put, "/registrations/1-2-3"), (.post, "/jobs"),
    ])
    func `refuses requests that store state above the memory limit`(method: HubRequest.Method, path: String) throws {
        let scene = try fullScene()
        let bodies = [
            "/installations/other": #"{"installationId":"other","platform":"apns","pushChannel":"AB01"}"#,
            "/installations/phone": "[]", "/messages": "{}", "/schedulednotifications": "{}",
        ]
        let registration =
            #"<entry xmlns="http://www.w3.org/2005/Atom"><content type="application/xml"><AppleRegistrationDescription "#
            + #"xmlns="http://schemas.microsoft.com/netservices/2010/10/servicebus/connect"><DeviceToken>AB01"#
            + "</DeviceToken></AppleRegistrationDescription></content></entry>"
        let response = try scene.call(
            method, path, "api-version=2020-06", ["Content-Type": "application/json"], bodies[path] ?? registration)
        #expect(response.status == 403)
        #expect(response.text.contains("exceeds its limit of 100000 bytes"))
    }

    @Test func `rejects no device above the memory limit`() throws {
        let scene = try fullScene()
        scene.emulator.expire(PushChannel(platform: .apple, handle: "AB02"))
        #expect(scene.emulator.warnings.map(\.text).contains { $0.hasPrefix("device not rejected: the state") })
    }

    @Test func `accepts requests again after an installation is deleted`() throws {
        let scene = try fullScene()
        #expect(try scene.putPhone(id: "other").status == 403)
        _ = try scene.get()
        #expect(try scene.call(.delete, "/installations/phone").status == 204)
        #expect(try scene.putPhone(id: "other").status == 200)
    }

    @Test func `shares a memory limit between hubs, and releases the memory of a hub with the hub`() throws {
        let memory = MemoryBudget(limit: 1 << 20)
        let first = try Scene(memory: memory)
        do {
            let second = try Scene(memory: memory)
            let tags = (1...60).map { "\"t\($0)\"" }.joined(separator: ",")
            var count = 0
            while try second.putPhone("\"tags\":[\(tags)]", id: "\(count)").status == 200 { count += 1 }
            #expect((80...140).contains(count))
            #expect(try first.putPhone().status == 403)
        }
        #expect(memory.usedByteCount == 0)
        #expect(try first.putPhone().status == 200)
    }

    @Test func `counts all texts of devices and deliveries`() throws {
        let text = String(repeating: "a", count: 10_000)
        let subscription = #"{"endpoint":"TEXT","p256dh":"TEXT","auth":"TEXT","other":"TEXT"}"#.replacing(
            "TEXT", with: text)
        let browser = try Installation(
            json: #"{"installationId":"a","platform":"browser","pushChannel":\#(subscription)}"#.utf8)
        #expect(browser.byteCount > 70_000)
        let windows = Registration(
            pushChannel: .windows(channelURI: text), tags: [NotificationHub.Tag(unchecked: text)],
            pushVariables: [text: text],
            template: .init(body: text, name: .init(unchecked: text), headers: [text: text], priority: text),
            secondaryTileName: text)
        #expect(windows.byteCount > 90_000)
        let scene = try Scene()
        try scene.putPhone()
        #expect(try scene.patch(#"[{"op":"add","path":"/tags","value":"\#(text)"}]"#).status == 200)
        try scene.send("{}", format: "apple")
        #expect(scene.emulator.deliveries.map(\.byteCount).allSatisfy { $0 > 10_000 })
        #expect(scene.emulator.deliveries.count == 1)
    }

    @Test func `uses no memory after a reset`() throws {
        let memory = MemoryBudget()
        let scene = try Scene(options: .init(writeDelay: .seconds(1)), memory: memory)
        try scene.putPhone(#""userId":"u","tags":["a"],"x":[1,2],"templates":{"t":{"body":"{}"}}"#)
        scene.wait(1)
        try scene.putPhone(id: "queued")
        try scene.send()
        try scene.send(path: "/schedulednotifications", ["ServiceBusNotification-ScheduleTime": "2030-01-01T00:10:00"])
        try scene.emulator.makeContainer(named: "jobs").write([1, 2, 3], to: "file")
        scene.emulator.expire(PushChannel(platform: .apple, handle: "AB02"))
        let used = memory.usedByteCount
        #expect(used > 3000)
        scene.emulator.reset()
        #expect(memory.usedByteCount == 0)
    }

    @Test func `uses as much memory after a restore as before`() throws {
        let memory = MemoryBudget()
        let scene = try Scene(memory: memory)
        try scene.putPhone(#""tags":["a"],"templates":{"t":{"body":"{\"aps\":{\"alert\":\"a\"}}"}}"#)
        try scene.emulator.makeContainer(named: "jobs").write([1, 2, 3], to: "file")
        let used = memory.usedByteCount
        let snapshot = scene.emulator.snapshot()
        try scene.putPhone(id: "other")
        try scene.emulator.restore(from: snapshot)
        #expect(memory.usedByteCount == used)
        try scene.emulator.restore(from: HubEmulator(hubName: "push").snapshot())
        #expect(memory.usedByteCount == 0)
    }

    @Test func `refuses blobs above the memory limit, and still returns them`() throws {
        let scene = try Scene(memory: MemoryBudget(limit: 100_000))
        let container = try scene.emulator.makeContainer(named: "jobs")
        try container.write([UInt8](repeating: 1, count: 100_000), to: "file")
        let error = #expect(throws: HubEmulator.BlobError.self) { try container.write([1], to: "other") }
        #expect(error?.code == "InsufficientStorage")
        #expect(container.read("file")?.count == 100_000)
    }

    @Test func `fails the lines of an import job above the memory limit`() throws {
        let scene = try fullScene()
        let line =
            #"<AppleRegistrationDescription xmlns="http://schemas.microsoft.com/netservices/2010/10/servicebus/connect">"#
            + "<DeviceToken>AB01</DeviceToken></AppleRegistrationDescription>"
        let result = scene.emulator.mutate { $0.importRegistrations(.create, Array(line.utf8)) }
        #expect(result.done.isEmpty)
        #expect(String(decoding: result.failed, as: UTF8.self).contains("exceeds its limit"))
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

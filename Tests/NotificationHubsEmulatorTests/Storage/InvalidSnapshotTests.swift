import HubTestSupport
import NotificationHubs
import NotificationHubsEmulator
import Testing

@Suite struct InvalidSnapshotTests {
    private static let head = #"{"format":"nhub-snapshot","version":1}"#
    private static let hub =
        #"{"deliveryCount":0,"jobCount":9,"kind":"hub","name":"push","notificationCount":0,"policies":"#
        + #"[{"key":"secret","name":"all","rights":["listen","manage","send"]}],"warningCount":0}"#
    private static let end = #"{"kind":"end"}"#
    private static let phone =
        #"{"json":"{\"installationId\":\"a\",\"platform\":\"apns\",\"pushChannel\":\"AB\"}","kind":"installation","version":1}"#
    private static let registration =
        #"{"kind":"registration","xml":"<AppleRegistrationDescription xmlns=\"http://schemas.microsoft.com/netservices/2010/"#
        + #"10/servicebus/connect\"><ETag>1</ETag><RegistrationId>1-2-3</RegistrationId><DeviceToken>AB</DeviceToken>"#
        + #"</AppleRegistrationDescription>"}"#
    private static let container = #"{"kind":"container","name":"jobs","signature":"s"}"#
    private static let job =
        #"{"createdAt":0,"due":0,"id":1,"kind":"job","outputContainer":"x","type":"ExportRegistrations"}"#

    @Test(arguments: [
        ([], nil, "incomplete snapshot"),
        (["{}"], 1, "expected a snapshot"),
        ([head.replacing("1", with: "2")], 1, "unsupported snapshot version 2"),
        ([head, hub], nil, "incomplete snapshot"),
        ([head, "x"], 2, "invalid JSON: expected a value at byte 0"),
        ([head, "[]"], 2, "expected a JSON object"),
        ([head, "{}"], 2, "missing kind"),
        ([head, #"{"kind":"pet"}"#], 2, "invalid kind: expected one of hub, "),
        ([head, phone], 2, "expected a line of the kind hub"),
        ([head, hub, "", hub.replacing("push", with: "PUSH")], 4, "duplicate hub name"),
        ([head, hub.replacing("push", with: "a b")], 2, "invalid name: "),
        ([head, hub.replacing("push", with: "emulator.invalid")], 2, "invalid name: emulator.invalid is reserved"),
        ([head, end], nil, "the snapshot does not contain the hub push"),
        ([head] + (0...100).map { hub.replacing("push", with: "hub\($0)") }, 102, "too many hubs"),
        ([head, hub.replacing("secret", with: "a;b")], 2, "invalid policy"),
        ([head, hub, registration, #"{"kind":"deletedRegistration","id":"1-2-3"}"#], 4, "the registration exists"),
        ([head, hub.replacing("secret", with: "")], 2, "invalid policy"),
        ([head, hub.replacing("send", with: "fly")], 2, "invalid policy"),
        ([head, hub.replacing(#""jobCount":9"#, with: #""jobCount":-1"#)], 2, "invalid jobCount: expected an integer"),
        ([head, hub.replacing("{\"del", with: "{\"a\":1,\"del")], 2, "unknown or unexpected member"),
        ([head, hub, phone, phone], 4, "duplicate installation ID"),
        ([head, hub, phone.replacing("AB", with: "no")], 3, "invalid installation: "),
        ([head, hub, phone.replacing("apns", with: "pigeon")], 3, "invalid installation: unknown platform"),
        ([head, hub, phone.replacing(#":1}"#, with: ":0}")], 3, "invalid version"),
        ([head, hub, #"{"kind":"registration","xml":"<a/>"}"#], 3, "invalid registration: 'content/a' "),
        ([head, hub, #"{"kind":"deletedRegistration","id":"a b"}"#], 3, "invalid registration ID"),
        ([head, hub, container, container], 4, "duplicate container name"),
        ([head, hub, container.replacing("jobs", with: "J")], 3, "invalid container name"),
        ([head, hub, container.replacing("\"s\"", with: "\"\"")], 3, "invalid signature"),
        ([head, hub, #"{"kind":"blob","container":"x","name":"a","base64":""}"#], 3, "unknown container"),
        ([head, hub, container, #"{"kind":"blob","container":"jobs","name":"a","base64":"?"}"#], 4, "invalid base64"),
        ([head, hub, container, #"{"kind":"blob","container":"jobs","name":"","base64":""}"#], 4, "invalid blob name"),
        ([head, hub, job, job], 4, "unexpected job"),
        ([head, hub, job.replacing("Export", with: "X")], 3, "invalid job: missing or unknown Type"),
        ([head, hub, job.replacing("\"due\":0", with: "\"due\":1e99")], 3, "invalid due: expected the seconds"),
        ([head, hub, job.replacing("{\"c", with: "{\"failed\":\"x\",\"c")], 3, "invalid job: expected output"),
        ([head, hub, end, phone], 4, "unexpected line after the end"),
    ])
    func `rejects an invalid snapshot and changes nothing`(lines: [String], line: Int?, reason: String) throws {
        let scene = try Scene()
        try scene.putPhone()
        let before = scene.emulator.snapshot()
        let complete =
            lines.count > 1 && !reason.hasPrefix("incomplete") && lines.last != Self.end ? lines + [Self.end] : lines
        let error = #expect(throws: HubEmulator.SnapshotError.self) {
            try scene.emulator.restore(from: complete.joined(separator: "\n").utf8)
        }
        #expect(error?.line == line)
        #expect(error?.reason.hasPrefix(reason) == true, "\(error?.description ?? "")")
        #expect(error?.description.contains("secret") == false)
        #expect(scene.emulator.snapshot() == before)
    }

    @Test func `accepts blank lines and CRLF`() throws {
        let emulator = HubEmulator()
        let lines = ["", Self.head, Self.hub, " ", Self.phone, Self.container, Self.job, Self.end, "", ""]
        try emulator.restore(from: lines.joined(separator: "\r\n").utf8)
        #expect(emulator.installations.count == 1)
    }

    @Test func `rejects each truncation`() throws {
        let scene = try Scene()
        try SnapshotScene.fill(scene)
        let snapshot = scene.emulator.snapshot()
        let copy = try Scene(policies: scene.emulator.policies)
        for count in stride(from: 0, to: snapshot.count - 1, by: 31) {
            #expect(throws: HubEmulator.SnapshotError.self) {
                try copy.emulator.restore(from: snapshot.prefix(count))
            }
        }
        #expect(copy.emulator.installations.isEmpty)
        try copy.emulator.restore(from: snapshot.dropLast())
        #expect(copy.emulator.snapshot() == snapshot)
    }

    @Test func `survives changed bytes`() throws {
        var random = SeededGenerator(seed: 7)
        let scene = try Scene()
        try SnapshotScene.fill(scene)
        let snapshot = scene.emulator.snapshot()
        let copy = try Scene()
        var restoredCount = 0
        for _ in 0..<representativeCount(1_000) {
            var changed = snapshot
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                let index = changed.indices.randomElement(using: &random) ?? 0
                changed[index] = .random(in: Bool.random(using: &random) ? 0x20...0x7e : 0...255, using: &random)
            }
            do {
                try copy.emulator.restore(from: changed)
            } catch {
                continue
            }
            // A hub with a restored state responds, and its own snapshot can be restored.
            for path in ["installations/phone", "registrations", "jobs", "registrations/r-2"] {
                try copy.call(.get, "/\(path)")
            }
            let saved = copy.emulator.snapshot()
            try copy.emulator.restore(from: saved)
            #expect(copy.emulator.snapshot() == saved)
            restoredCount += 1
        }
        #expect(restoredCount > 0)
        copy.wait(8 * 86_400)
        #expect(copy.emulator.installations.count <= 2)
    }
}

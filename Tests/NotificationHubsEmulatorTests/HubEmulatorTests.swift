import Foundation
import HubLock
import HubTestSupport
import NotificationHubs
import NotificationHubsEmulator
import SharedAccessSignature
import Testing

@Suite struct HubEmulatorTests {
    let emulator: HubEmulator
    let phone: Installation

    init() throws {
        emulator = HubEmulator(hubName: "push")
        phone = Installation(
            id: try Installation.ID(validating: "phone"), pushChannel: .apple(deviceToken: [1, 2]), tags: ["news"],
            templates: ["alert": Installation.Template(body: #"{"aps":{"alert":"$(message)"}}"#)])
    }

    @Test func `delivers to devices that match a tag or a template name`() throws {
        var tablet = Installation(
            id: try Installation.ID(validating: "tablet"), pushChannel: .apple(deviceToken: [3]), tags: ["sports"],
            templates: phone.templates)
        tablet.templates["quiet"] = Installation.Template(body: #"{"aps":{"badge":"$(count)"}}"#, tags: ["badge"])
        for installation in [phone, tablet] { #expect(try put(installation).status == 200) }

        #expect(try names(sendingTo: "news") == ["phone/alert"])
        #expect(try names(sendingTo: "sports") == ["tablet/alert", "tablet/quiet"])
        #expect(try names(sendingTo: "badge") == ["tablet/quiet"])
        #expect(try names(sendingTo: "alert") == ["phone/alert", "tablet/alert"])
        #expect(try names(sendingTo: "unused") == [])
        #expect(
            try names(sendingTo: nil) == ["phone/alert", "tablet/alert", "tablet/quiet"],
            "a message without a tag is a broadcast")
    }

    @Test func `applies writes in order after the write delay`() throws {
        let now = Locked(Date(timeIntervalSince1970: 1_000_000))
        let slow = HubEmulator(
            hubName: emulator.hubName, policies: emulator.policies, options: .init(writeDelay: .seconds(2)),
            now: { now.withLock { $0 } })
        let body = try JSONEncoder().encode(phone)
        #expect(try respond(slow, .put, "/push/installations/phone", body: Array(body), now: 1_000_000).status == 200)
        #expect(try respond(slow, .get, "/push/installations/phone", now: 1_000_000).status == 404)
        now.withLock { $0 += 1 }
        #expect(try respond(slow, .delete, "/push/installations/phone", now: 1_000_001).status == 204)
        now.withLock { $0 += 1 }
        #expect(try respond(slow, .get, "/push/installations/phone", now: 1_000_002).status == 200)
        now.withLock { $0 += 1 }
        #expect(try respond(slow, .get, "/push/installations/phone", now: 1_000_003).status == 404)

        // A deletion is delayed too.
        #expect(try respond(slow, .put, "/push/installations/phone", body: Array(body), now: 1_000_003).status == 200)
        now.withLock { $0 += 2 }
        #expect(try respond(slow, .delete, "/push/installations/phone", now: 1_000_005).status == 204)
        #expect(try respond(slow, .get, "/push/installations/phone", now: 1_000_005).status == 200)
        now.withLock { $0 += 2 }
        #expect(try respond(slow, .get, "/push/installations/phone", now: 1_000_007).status == 404)
    }

    @Test(arguments: [
        ("{}", "installationId: missing"), (#"{"installationId":"phone"}"#, "platform: missing"),
        (#"{"installationId":"phone","platform":"apns"}"#, "pushChannel: missing"),
        (#"{"installationId":"other","platform":"apns","pushChannel":"AB"}"#, "must match the ID in the path"),
        (#"{"installationId":"a b","platform":"apns","pushChannel":"AB"}"#, "letters, digits"),
        (
            #"{"installationId":"phone","platform":"apns","pushChannel":"AB","templates":{"t":{"body":"<"}}}"#,
            "template t"
        ),
        ("[]", "invalid installation"), ("", "invalid installation"),
    ])
    func `rejects an invalid installation`(body: String, text: String) throws {
        let response = try respond(emulator, .put, "/push/installations/phone", body: Array(body.utf8))
        #expect(response.status == 400)
        #expect(String(decoding: response.body, as: UTF8.self).contains(text))
        #expect(try respond(emulator, .get, "/push/installations/phone").status == 404)
    }

    @Test(arguments: [
        (HubRequest.Method.get, "/push/messages", 405), (.post, "/push/installations/x", 405), (.get, "/push", 404),
        (.get, "/push/unknown", 404),
    ])
    func `rejects unknown paths and methods`(method: HubRequest.Method, path: String, status: Int) throws {
        #expect(try respond(emulator, method, path).status == status)
    }

    @Test func `rejects a line break in a path`() throws {
        #expect(try respond(emulator, .get, "/push/installations/x\r\nEvil: 1").status == 400)
    }

    @Test(arguments: [
        ("push", "push", true), ("push", "PUSH", true), ("Push", "pusH", true), ("push", "pus", false),
        ("push", "pushy", false), ("push", "", false), ("a-b", "a_b", false),
        // The lowercase form of the Kelvin sign is k.
        ("k", "\u{212a}", false),
    ])
    func `compares hub names, ignoring only ASCII case`(name: String, text: String, isSame: Bool) throws {
        #expect(try NotificationHub.Name(validating: name).isSame(as: text) == isSame)
    }

    @Test func `returns 404 for another hub`() throws {
        let signer = try signer(resource: "https://127.0.0.1")
        let token = signer.token(validFor: .seconds(100_000)).headerValue
        #expect(try respond(emulator, .get, "/other/installations/x", authorization: token).status == 404)
    }

    // MARK: Authorization

    @Test func `returns 401 with the service's subcodes`() throws {
        let other = SASSigner(
            key: SharedAccessKey(name: "DefaultFullSharedAccessSignature", secret: "x"),
            resource: "https://127.0.0.1/push")
        let cases: [(String?, String)] = [
            (nil, "40102"), ("Bearer x", "40105"),
            (other.token(validFor: .seconds(100_000)).headerValue, "40103"),
            (try signer().token(expiringAt: 1).headerValue, "40106"),
            (try signer(resource: "https://127.0.0.1/pushy").token(validFor: .seconds(100_000)).headerValue, "40104"),
        ]
        for (authorization, code) in cases {
            let response = try respond(emulator, .get, "/push/installations/x", authorization: authorization)
            #expect(response.status == 401)
            #expect(String(decoding: response.body, as: UTF8.self).contains(code))
        }
    }

    @Test func `returns 403 without a body when a listen key sends`() throws {
        let token = try signer(policy: 1).token(validFor: .seconds(100_000)).headerValue
        #expect(try respond(emulator, .get, "/push/installations/x", authorization: token).status == 404)
        let response = try respond(emulator, .post, "/push/messages", authorization: token)
        #expect(response.status == 403)
        #expect(response.body.isEmpty)
    }

    @Test func `redacts its keys`() throws {
        let values: [Any] = [emulator, emulator.policies]
        for value in values {
            let showsKey = everythingPrinted(of: value).containsAny(of: emulator.policies.map(\.key))
            #expect(!showsKey, "\(type(of: value)) shows a key")
        }
    }

    // MARK: Helpers

    private func put(_ installation: Installation) throws -> HubResponse {
        try respond(
            emulator, .put, "/push/installations/\(installation.id)",
            body: Array(try JSONEncoder().encode(installation)))
    }

    private func names(sendingTo tag: String?) throws -> [String] {
        let before = emulator.deliveries.count
        var headers: HubHeaders = ["Content-Type": "application/json", "ServiceBusNotification-Format": "template"]
        headers["ServiceBusNotification-Tags"] = tag
        #expect(try respond(emulator, .post, "/push/messages", headers: headers, body: Array("{}".utf8)).status == 201)
        return emulator.deliveries.dropFirst(before).map {
            "\($0.installationID?.rawValue ?? "")/\($0.templateName ?? "")"
        }
    }

    private func signer(policy index: Int = 0, resource: String = "https://127.0.0.1/push") throws -> SASSigner {
        let policy = emulator.policies[index]
        return SASSigner(key: SharedAccessKey(name: policy.name, secret: policy.key), resource: resource)
    }

    private func respond(
        _ emulator: HubEmulator, _ method: HubRequest.Method, _ path: String, headers: HubHeaders = [:],
        body: [UInt8] = [], now: Int64? = nil
    ) throws -> HubResponse {
        let token = try signer().token(validFor: .seconds(60), now: now).headerValue
        return try respond(emulator, method, path, headers: headers, body: body, authorization: token)
    }

    private func respond(
        _ emulator: HubEmulator, _ method: HubRequest.Method, _ path: String, headers: HubHeaders = [:],
        body: [UInt8] = [], authorization: String?
    ) throws -> HubResponse {
        var headers = headers
        headers["Authorization"] = authorization
        let endpoint = try ServiceEndpoint("http://127.0.0.1:8080", isDevelopmentEmulator: true)
        return emulator.respond(
            to: HubRequest(
                method, endpoint: endpoint, path: path, query: "api-version=2020-06", headers: headers, body: body))
    }
}

import HubText
import HubServer
import Foundation
import NotificationHubs
import SharedAccessSignature
import Testing

@testable import NotificationHubsEmulator
@testable import NotificationHubsEmulatorServer

@Suite struct NamespaceTests {
    private let first: HubEmulator
    private let namespace: Namespace
    private let endpoint: ServiceEndpoint

    init() throws {
        try self.init(first: HubEmulator(hubName: "push"))
    }

    private init(first: HubEmulator) throws {
        self.first = first
        namespace = Namespace([first])
        endpoint = try ServiceEndpoint("https://contoso.servicebus.windows.net")
    }

    private static func description(_ elements: String = "") -> String {
        """
        <?xml version="1.0" encoding="utf-8"?><entry xmlns="http://www.w3.org/2005/Atom"><content type="application/xml">\
        <NotificationHubDescription xmlns:i="http://www.w3.org/2001/XMLSchema-instance" \
        xmlns="http://schemas.microsoft.com/netservices/2010/10/servicebus/connect">\(elements)\
        </NotificationHubDescription></content></entry>
        """
    }

    private func call(
        _ method: String, _ target: String, _ headers: HubHeaders = [:], _ body: String = "", policy: Int = 0,
        key: String? = nil, version: String? = "2017-04"
    ) throws -> HubResponse {
        let policy = first.policies[policy]
        var headers = headers
        headers["Authorization"] =
            SASSigner(key: SharedAccessKey(name: policy.name, secret: key ?? policy.key), resource: "\(endpoint)/")
            .token(expiringAt: Int64(Date().timeIntervalSince1970) + 60).headerValue
        let query = version.map { (target.contains("?") ? "&" : "?") + "api-version=\($0)" } ?? ""
        let request = HTTPRequest(
            method: method, target: target + query, headers: headers.fields,
            body: Array(body.utf8), keepsAlive: true)
        let action = try #require(Namespace.Action(request))
        return namespace.perform(action, HubRequest(request, .init(rawValue: method), endpoint: endpoint))
    }

    @Test func `creates, describes, lists and deletes hubs`() throws {
        let created = try call("PUT", "/new", [:], Self.description("<UserMetadata>mine</UserMetadata>"))
        #expect(created.status == 201)
        #expect(created.text.contains("<title type=\"text\">new</title>"))
        #expect(namespace.hubs.map(\.hubName) == ["push", "new"])
        let read = try call("GET", "/NEW")
        #expect(read.status == 200)
        #expect(read.text.contains("<UserMetadata>mine</UserMetadata>"))
        #expect(read.text.contains("<RegistrationTtl>P10675199DT2H48M5.4775807S</RegistrationTtl>"))
        let list = try call("GET", "/")
        #expect(list.text.contains(">push</title>") && list.text.contains(">new</title>"))
        #expect(!list.text.contains("NotificationHubDescription"))
        #expect(try call("DELETE", "/new").status == 200)
        #expect(namespace.hubs.map(\.hubName) == ["push"])
        let missing = try call("DELETE", "/new")
        #expect(missing.status == 404)
        #expect(missing.text.contains("<Detail>No service is hosted at the specified address..TrackingId:"))
    }

    // The form of lists and entries was recorded by the .NET SDK's tests:
    // ManagementApi_ShouldCreateGetOrDeleteHubOrRecieveConflictException.
    @Test func `lists hubs in the recorded form, without api-version if x-ms-version is given`() throws {
        let text = try call("GET", "/", ["x-ms-version": "2017-04"], version: nil).text
        let form =
            #/<feed xmlns="http:\/\/www.w3.org\/2005\/Atom"><title type="text">Publicly Listed Services<\/title><subtitle type="text">This is the list of publicly-listed services currently available.<\/subtitle><id>uuid:[-0-9a-f]{36};id=1<\/id><updated>[^<]+<\/updated><generator>Service Bus 1.1<\/generator><entry><id>uuid:[-0-9a-f]{36};id=2<\/id><title type="text">push<\/title><updated>[^<]+<\/updated><link href="https:\/\/contoso.servicebus.windows.net\/push" rel="alternate"\/><\/entry><\/feed>/#
        #expect(text.wholeMatch(of: form) != nil, "\(text)")
        #expect(try call("GET", "/", version: nil).status == 400)
    }

    @Test func `describes a hub with its author, its times and the counts of use`() async throws {
        let hub = first.makeClient()
        var phone = Installation(id: "phone", pushChannel: .apple(deviceToken: [1]))
        phone.templates["alert"] = .init(body: "{}")
        try await hub.putInstallation(phone)
        _ = try await hub.createRegistration(Registration(pushChannel: .apple(deviceToken: [2])))
        let text = try call("GET", "/push").text
        #expect(
            text.contains(
                #/<published>[^<]+<\/published><updated>[^<]+<\/updated><author><name>contoso<\/name><\/author><link/#))
        #expect(
            text.contains(
                "<DailyMaxActiveDevices>2</DailyMaxActiveDevices><DailyMaxActiveRegistrations>3"
                    + "</DailyMaxActiveRegistrations><DailyApiCalls>2</DailyApiCalls>"))
        let written = try call("PUT", "/push", ["If-Match": "*"], Self.description()).text
        #expect(!written.contains("Daily"))
    }

    @Test func `names an invalid signature as the service does`() throws {
        // Recorded by the .NET SDK's tests: ManagementApi_FailsWithAuthorizationException.
        let response = try call("GET", "/push", key: "wrong")
        #expect(response.status == 401)
        #expect(response.text.contains("<Detail>InvalidSignature: The token has an invalid signature..TrackingId:"))
    }

    @Test func `lists descriptions below $Resources, a page at a time`() throws {
        _ = try call("PUT", "/new", [:], Self.description())
        let all = try call("GET", "/$Resources/NotificationHubs/?$skip=0&$top=2147483647").text
        #expect(all.split(separator: "<NotificationHubDescription").count == 3)
        let page = try call("GET", "/%24Resources/NotificationHubs?$skip=1&$top=1").text
        #expect(page.contains(">new</title>") && !page.contains(">push</title>"))
        #expect(try call("GET", "/$Resources/NotificationHubs?$skip=-1").status == 400)
    }

    @Test func `replaces a description only with If-Match`() throws {
        let conflict = try call("PUT", "/push", [:], Self.description())
        #expect(conflict.status == 409)
        #expect(conflict.text.contains("SubCode=40900. Conflict."))
        let replaced = try call("PUT", "/push", ["If-Match": "*"], Self.description("<UserMetadata>a</UserMetadata>"))
        #expect(replaced.status == 200)
        #expect(try call("GET", "/push").text.contains("<UserMetadata>a</UserMetadata>"))
        #expect(namespace.hubs.count == 1)
    }

    @Test func `responds to an unknown hub with a public list`() throws {
        let response = try call("GET", "/none")
        #expect(response.status == 200)
        #expect(response.text.contains("Publicly Listed Services"))
        #expect(!response.text.contains("<entry"))
    }

    @Test func `gives a new hub the policies of its description and of the first hub`() throws {
        let rule = """
            <AuthorizationRules><AuthorizationRule i:type="SharedAccessAuthorizationRule"><Rights>\
            <AccessRights>Send</AccessRights></Rights><KeyName>sender</KeyName><PrimaryKey>a2V5</PrimaryKey>\
            </AuthorizationRule></AuthorizationRules>
            """
        #expect(try call("PUT", "/new", [:], Self.description(rule)).status == 201)
        let policies = try #require(namespace.hubs.last).policies
        #expect(policies.map(\.name) == first.policies.map(\.name) + ["sender"])
        #expect(policies.last?.rights == [.send] && policies.last?.key == "a2V5")
        #expect(try call("GET", "/new").text.contains("<KeyName>sender</KeyName><PrimaryKey>a2V5</PrimaryKey>"))
    }

    @Test func `requires Manage`() throws {
        for (method, target) in [("GET", "/"), ("GET", "/push"), ("PUT", "/new"), ("DELETE", "/push")] {
            let response = try call(method, target, [:], Self.description(), policy: 1)
            // Recorded by the .NET SDK's tests: ManagementApi_FailsWithAuthorizationException.
            #expect(response.status == 401)
            #expect(response.text.contains("<Detail>Manage claim is required for this operation..TrackingId:"))
        }
        #expect(namespace.hubs.count == 1)
    }

    @Test(arguments: [
        "", "<a/>", "<entry xmlns=\"http://www.w3.org/2005/Atom\"/>",
        description("<AuthorizationRules><AuthorizationRule/></AuthorizationRules>"),
        // A snapshot with these policies could not be restored.
        description(
            "<AuthorizationRules><AuthorizationRule><KeyName>a;b</KeyName></AuthorizationRule></AuthorizationRules>"),
        description(
            "<AuthorizationRules><AuthorizationRule><KeyName>a</KeyName><PrimaryKey>b;c</PrimaryKey></AuthorizationRule></AuthorizationRules>"
        ),
        description().replacingOccurrences(of: "NotificationHubDescription", with: "QueueDescription"),
    ])
    func `rejects an invalid description`(body: String) throws {
        #expect(try call("PUT", "/new", [:], body).status == 400)
        #expect(namespace.hubs.count == 1)
    }

    @Test(arguments: ["/a%20b", "/..."]) func `rejects an invalid name`(target: String) throws {
        #expect(try call("PUT", target, [:], Self.description()).status == 400)
    }

    @Test(arguments: [
        ("GET", "/push/installations/a"), ("POST", "/push"), ("POST", "/push/messages"), ("PATCH", "/push"),
        ("GET", "/push/jobs"), ("PUT", "/$emulator/faults"),
    ])
    func `leaves other requests to hubs`(method: String, target: String) throws {
        let request = HTTPRequest(method: method, target: target, headers: [:], body: [], keepsAlive: true)
        #expect(Namespace.Action(request) == nil)
    }

    @Test func `rejects calls to a deleted hub`() throws {
        #expect(try call("DELETE", "/push").status == 200)
        let request = HTTPRequest(
            method: "GET", target: "/push/installations/a?api-version=2020-06", headers: ["Host": "a"], body: [],
            keepsAlive: true)
        let hubRequest = HubRequest(request, .get, endpoint: endpoint)
        guard case .respond(let response) = namespace.hub("push").handle(hubRequest) else {
            Issue.record("no response")
            return
        }
        #expect(response.status == 401)
        #expect(namespace.hub("push") !== first)
    }

    @Test func `frees the memory of a deleted hub`() throws {
        first.expire(.apple(deviceToken: [1]))
        #expect(first.memory.usedByteCount > 0)
        #expect(try call("DELETE", "/push").status == 200)
        #expect(first.memory.usedByteCount == 0)
    }

    @Test func `counts descriptions toward the memory limit`() throws {
        let hub = HubEmulator(
            hubName: "push", policies: first.policies, options: .init(), memory: MemoryBudget(limit: 100_000))
        let scene = try NamespaceTests(first: hub)
        let large = Self.description("<UserMetadata>\(String(repeating: "a", count: 60_000))</UserMetadata>")
        #expect(try scene.call("PUT", "/a", [:], large).status == 201)
        #expect((60_000..<70_000).contains(hub.memory.usedByteCount))
        #expect(try scene.call("PUT", "/b", [:], large).status == 201)
        let rejected = try scene.call("PUT", "/c", [:], large)
        #expect(rejected.status == 403)
        #expect(rejected.text.contains("exceeds its limit of 100000 bytes"))
        #expect(scene.namespace.hubs.map(\.hubName) == ["push", "a", "b"])
        let snapshot = try SnapshotReader.read(scene.namespace.snapshot)
        #expect(try scene.call("DELETE", "/b").status == 200)
        #expect(try scene.call("PUT", "/a", ["If-Match": "*"], Self.description()).status == 200)
        #expect(hub.memory.usedByteCount == 0)
        scene.namespace.restore(snapshot)
        #expect((120_000..<140_000).contains(hub.memory.usedByteCount))
        #expect(try scene.call("GET", "/b").text.contains("<UserMetadata>aaa"))
    }

    @Test func `restores hubs completely while one is deleted`() async throws {
        for number in 2...5 { _ = try call("PUT", "/hub\(number)", [:], Self.description()) }
        let phone = Installation(id: "phone", pushChannel: .apple(deviceToken: [1]))
        try await first.makeClient().putInstallation(phone)
        let snapshot = try SnapshotReader.read(namespace.snapshot)
        for _ in 0..<20 {
            async let restoration: Void = namespace.restore(snapshot)
            _ = try call("DELETE", "/push")
            await restoration
            for hub in namespace.hubs where hub.hubName == "push" { try #require(hub.installations.count == 1) }
            namespace.restore(snapshot)
        }
    }

    @Test(arguments: [0, 1, 999, 1000, 2000, 5000]) func `lists the smallest elements in order`(limit: Int) {
        let numbers = (0..<2000).map { $0 * 7919 % 2003 }
        #expect(numbers.smallest(limit) == Array(numbers.sorted().prefix(limit)))
    }

    @Test func `limits the namespace to 100 hubs`() throws {
        for number in 2...100 { #expect(try call("PUT", "/hub\(number)", [:], Self.description()).status == 201) }
        let response = try call("PUT", "/hub101", [:], Self.description())
        #expect(response.status == 403)
        #expect(response.text.contains("too many hubs"))
        #expect(try call("PUT", "/hub100", ["If-Match": "*"], Self.description()).status == 200)
    }
}

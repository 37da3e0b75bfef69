import Foundation
import HubTestSupport
import NotificationHubs
import Testing

/// Compares requests with recorded ones of Azure's JavaScript SDK, and reads recorded responses.
@Suite(.enabled(if: Recordings.folder != nil, "HUB_RECORDINGS is not set")) struct RecordedRequestTests {
    /// The permitted differences from the recorded requests. Everything else must be equal.
    enum Difference {
        /// `/messages` instead of `/messages/`: the service accepts both, and the .NET SDK sends the former.
        static let trailingSlash = "/messages/"
        /// Recorded headers that do not describe the message, and the reasons to ignore them.
        static let ignoredHeaders: [String: String] = [
            "accept-encoding": "set by the transport",
            "connection": "set by the transport",
            "content-length": "set by the transport; the bodies are compared",
            "authorization": "redacted in the recording and different in every request",
            "user-agent": "the name of the SDK",
            "x-ms-azsdk-telemetry": "the SDK's class and method",
            "x-ms-client-request-id": "random; neither the .NET nor the Java SDK sends it",
            "x-ms-version": "repeats the query's api-version; neither the .NET nor the Java SDK sends it",
        ]
    }

    struct Recording: Decodable {
        struct Entry: Decodable {
            var RequestUri: String
            var RequestMethod: String
            var RequestHeaders: [String: String]
            var RequestBody: JSONValue?
            var StatusCode: Int
            var ResponseHeaders: [String: String]
        }

        var Entries: [Entry]
    }

    @Test func `sends notifications like the JavaScript SDK`() async throws {
        let names = try Recordings.names("js", prefix: "send")
        #expect(names.count == 2)
        for name in names {
            let entry = try #require(try Recordings.read(Recording.self, "js/\(name)").Entries.first)
            let headers = HubHeaders(entry.ResponseHeaders.map { (name: $0.key, value: $0.value) })
            let transport = ScriptedTransport { _ in HubResponse(status: entry.StatusCode, headers: headers) }
            let hub = try Self.hub(transport)
            let notification = try PushNotification.apple(.json(encoding: entry.RequestBody))

            let receipt =
                if let handle = entry.RequestHeaders["ServiceBusNotification-DeviceHandle"] {
                    try await hub.send(notification, to: .device(.apple(hexDeviceToken: handle)))
                } else {
                    try await hub.send(notification, to: .everyone)
                }
            try Self.expect(try #require(transport.requests.first), like: entry)
            let location = try #require(entry.ResponseHeaders["Location"])
            let id = try #require(receipt.notificationID?.rawValue)
            #expect(location.contains("/messages/\(id)?"))
            #expect(receipt.trackingID == entry.ResponseHeaders["TrackingId"])
            #expect(receipt.correlationID == entry.ResponseHeaders["x-ms-correlation-request-id"])
        }
    }

    @Test func `puts and deletes installations like the JavaScript SDK`() async throws {
        var methods: [String] = []
        for name in try Recordings.names("js", prefix: "createorupdateinstallation") {
            for entry in try Recordings.read(Recording.self, "js/\(name)").Entries {
                let transport = ScriptedTransport { _ in HubResponse(status: entry.StatusCode) }
                let hub = try Self.hub(transport)
                if let body = entry.RequestBody {
                    try await hub.putInstallation(Installation(json: body.bytes))
                } else {
                    let id = try #require(Self.parts(entry.RequestUri).0.split(separator: "/").last)
                    try await hub.deleteInstallation(Installation.ID(validating: id))
                }
                try Self.expect(try #require(transport.requests.first), like: entry)
                methods.append(entry.RequestMethod)
            }
        }
        #expect(methods == ["PUT", "DELETE"])
    }

    struct Session: Decodable {
        struct Call: Decodable {
            var RequestUriPath: String
            var StatusCode: Int
            var Headers: [String: String]
            var Content: String?

            var response: HubResponse {
                HubResponse(
                    status: StatusCode, headers: HubHeaders(Headers.map { (name: $0.key, value: $0.value) }),
                    body: Array((Content ?? "").utf8))
            }
        }

        var HttpCalls: [Call]
    }

    @Test func `reads the responses to the .NET SDK's sends`() async throws {
        let names = try Recordings.names("dotnet", prefix: "send")
        #expect(names.count >= 5)
        for name in names {
            for call in try Recordings.read(Session.self, "dotnet/\(name)").HttpCalls {
                let hub = try NotificationHub.scripted(ScriptedTransport { _ in call.response })
                guard call.StatusCode == 201 else {
                    let error = await #expect(throws: HubError.self) {
                        try await hub.send(.template([:]), to: .tag("t"))
                    }
                    // The key grants only Listen. The 403 response has no detail.
                    #expect((error?.code, error?.detail) == (.forbidden, nil))
                    continue
                }
                let receipt = try await hub.send(.template([:]), to: .tag("t"))
                let id = try #require(receipt.notificationID?.rawValue)
                #expect(call.Headers["Location"]?.contains("/messages/\(id)?") == true)
            }
        }
    }

    @Test func `reads the response for a missing installation`() async throws {
        let calls = try Recordings.names("dotnet", prefix: "deleteinstallation").flatMap {
            try Recordings.read(Session.self, "dotnet/\($0)").HttpCalls
        }
        let call = try #require(calls.last)
        let hub = try NotificationHub.scripted(ScriptedTransport { _ in call.response })
        let error = await #expect(throws: HubError.self) { try await hub.installation(Installation.ID.random()) }
        #expect((error?.code, error?.status, error?.serviceCode) == (.notFound, 404, 404))
        #expect(error?.detail?.hasPrefix("Installation not found.TrackingId:") == true)
        #expect(error?.trackingID == "cc8c4f9b-fd82-4cfa-8f99-7a089eb4cd69_G3")
        #expect(try await !hub.installationExists(Installation.ID.random()))
    }

    private static func hub(_ transport: ScriptedTransport) throws -> NotificationHub {
        try NotificationHub(
            namespace: "testns", hubName: "hub_name", keyName: "k", key: "secret", transport: transport,
            options: .patient())
    }

    /// Compares a request with a recorded one, except for the permitted differences.
    private static func expect(_ request: HubRequest, like entry: Recording.Entry) throws {
        let (path, query) = parts(entry.RequestUri)
        let (sentPath, sentQuery) = parts(request.url)
        #expect(sentPath == (path.hasSuffix(Difference.trailingSlash) ? String(path.dropLast()) : path))
        #expect(sentQuery == query)
        #expect(request.method.rawValue == entry.RequestMethod)
        #expect(
            try request.body.isEmpty
                ? entry.RequestBody == nil : JSONValue(parsing: request.body) == entry.RequestBody)
        var expected = Dictionary(
            uniqueKeysWithValues: entry.RequestHeaders.map { ($0.key.lowercased(), $0.value) }
                .filter { Difference.ignoredHeaders[$0.0] == nil })
        // Hexadecimal digits are sent in upper case, as the service stores them.
        let handle = "servicebusnotification-devicehandle"
        expected[handle] = expected[handle]?.uppercased()
        #expect(request.messageHeaders == expected)
    }

    /// Returns the URL up to the path, and the query items as a set.
    private static func parts(_ url: String) -> (String, Set<Substring>) {
        let parts = url.split(separator: "?", maxSplits: 1)
        return (String(parts[0]), Set(parts.dropFirst().flatMap { $0.split(separator: "&") }))
    }
}

import Foundation
import HubTestSupport
import NotificationHubs
import Testing

/// Sends compared with those of Azure's JavaScript SDK, as they were recorded.
@Suite(.enabled(if: Recordings.folder != nil, "HUB_RECORDINGS is not set")) struct RecordedRequestTests {
    /// How requests may differ from the recorded ones, and why. Everything else has to be equal.
    enum Difference {
        /// `/messages` for `/messages/`: the service takes both, and .NET's SDK sends the former.
        static let trailingSlash = "/"
        /// Headers of theirs that say nothing of the message.
        static let theirHeaders: [String: String] = [
            "accept-encoding": "the transport's part",
            "connection": "the transport's part",
            "content-length": "the transport's part; the bodies are compared",
            "authorization": "blanked in the recording, and another in every request",
            "user-agent": "each SDK names itself",
            "x-ms-azsdk-telemetry": "names their class and method, for their statistics",
            "x-ms-client-request-id": "a random number; neither .NET's nor Java's SDK sends it",
            "x-ms-version": "the query's api-version once more; neither .NET's nor Java's SDK sends it",
        ]
    }

    struct Recording: Decodable {
        struct Entry: Decodable {
            var RequestUri: String
            var RequestMethod: String
            var RequestHeaders: [String: String]
            var RequestBody: [String: [String: String]]
            var StatusCode: Int
            var ResponseHeaders: [String: String]
        }

        var Entries: [Entry]
    }

    @Test func `sends are those of the JavaScript SDK`() async throws {
        let names = try Recordings.names("js", prefix: "send")
        #expect(names.count == 2)
        for name in names {
            let entry = try #require(try Recordings.read(Recording.self, "js/\(name)").Entries.first)
            let headers = HubHeaders(received: entry.ResponseHeaders.map { (name: $0.key, value: $0.value) })
            let transport = ScriptedTransport { _ in HubResponse(status: entry.StatusCode, headers: headers) }
            let hub = try NotificationHub(
                namespace: "testns", hubName: "hub_name", keyName: "k", key: "secret", transport: transport,
                options: .patient())
            let notification = try PushNotification.apple(.encoding(entry.RequestBody))

            let receipt =
                if let handle = entry.RequestHeaders["ServiceBusNotification-DeviceHandle"] {
                    try await hub.send(notification, to: .device(.apple(handle)))
                } else {
                    try await hub.send(notification, to: .everyone)
                }
            let request = try #require(transport.requests.first)
            let (path, query) = Self.parts(entry.RequestUri)
            let (ourPath, ourQuery) = Self.parts(request.url)
            #expect(ourPath + Difference.trailingSlash == path)
            #expect(ourQuery == query)
            #expect(request.method.rawValue == entry.RequestMethod)
            #expect(
                try JSONDecoder().decode([String: [String: String]].self, from: Data(request.body))
                    == entry.RequestBody)
            let theirs = Dictionary(
                uniqueKeysWithValues: entry.RequestHeaders.map { ($0.key.lowercased(), $0.value) }
                    .filter { Difference.theirHeaders[$0.0] == nil })
            #expect(request.messageHeaders == theirs)

            let location = try #require(entry.ResponseHeaders["Location"])
            let id = try #require(receipt.notificationID?.text)
            #expect(location.contains("/messages/\(id)?"))
            #expect(receipt.trackingID == entry.ResponseHeaders["TrackingId"])
            #expect(receipt.correlationID == entry.ResponseHeaders["x-ms-correlation-request-id"])
        }
    }

    struct Session: Decodable {
        struct Call: Decodable {
            var RequestUriPath: String
            var StatusCode: Int
            var Headers: [String: String]
        }

        var HttpCalls: [Call]
    }

    @Test func `answers to the .NET SDK's sends are read`() async throws {
        let names = try Recordings.names("dotnet", prefix: "send")
        #expect(names.count >= 5)
        for name in names {
            for call in try Recordings.read(Session.self, "dotnet/\(name)").HttpCalls {
                let headers = HubHeaders(received: call.Headers.map { (name: $0.key, value: $0.value) })
                let transport = ScriptedTransport { _ in HubResponse(status: call.StatusCode, headers: headers) }
                let hub = try NotificationHub.scripted(transport)
                guard call.StatusCode == 201 else {
                    await #expect(throws: HubError.self) { try await hub.send(.template([:]), to: .tag("t")) }
                    continue
                }
                let receipt = try await hub.send(.template([:]), to: .tag("t"))
                let id = try #require(receipt.notificationID?.text)
                #expect(call.Headers["Location"]?.contains("/messages/\(id)?") == true)
            }
        }
    }

    /// Scheme, host and path; and the query as a set.
    private static func parts(_ url: String) -> (String, Set<Substring>) {
        let parts = url.split(separator: "?", maxSplits: 1)
        return (String(parts[0]), Set(parts.dropFirst().flatMap { $0.split(separator: "&") }))
    }
}

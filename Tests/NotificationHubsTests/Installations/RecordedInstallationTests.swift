import Foundation
import NotificationHubs
import Testing

/// The real service's traffic, which is no part of this repository: `HUB_RECORDINGS` says where it is.
@Suite(.enabled(if: Recordings.folder != nil, "HUB_RECORDINGS does not say where the recordings are"))
struct RecordedInstallationTests {

    @Test func `every recorded installation is read, and put as it was but for what the service adds`() async throws {
        var count = 0
        for file in try Recordings.files("dotnet") {
            guard case .array(let calls)? = try JSONValue(parsing: file.bytes)["HttpCalls"] else { continue }
            for call in calls {
                guard case .string(let path)? = call["RequestUriPath"], path.contains("/installations/"),
                    case .number(let status)? = call["StatusCode"], status.text == "200",
                    case .string(let content)? = call["Content"]
                else { continue }
                let read = try Installation(json: content.utf8)
                #expect(path.contains("/installations/\(read.id)?"))
                #expect(read.additionalProperties.isEmpty, "\(file.name) has a member that has no property")
                #expect(read.templates.values.allSatisfy { $0.additionalProperties.isEmpty })
                let sent = try JSONValue(parsing: try await bodyOfPut(read).utf8)
                #expect(try sent == sendable(JSONValue(parsing: content.utf8)), "\(file.name)")
                count += 1
            }
        }
        #expect(count > 0)
    }

    /// An answer without what the service adds: the time that is never, the channel's state, the template's name as its tag.
    private func sendable(_ json: JSONValue) throws -> JSONValue {
        guard case .object(var object) = json else { throw CancellationError() }
        object["expirationTime"] = nil
        object["pushChannelExpired"] = nil
        if case .object(var templates)? = object["templates"] {
            for name in templates.members.map(\.name) {
                guard case .object(var template)? = templates[name] else { continue }
                if template["tags"] == .array([.string(name)]) { template["tags"] = nil }
                templates[name] = .object(template)
            }
            object["templates"] = .object(templates)
        }
        return .object(object)
    }

    @Test func `the Java SDK's samples are read, and its patch of a template is this client's`() async throws {
        let samples = try Recordings.files("java")
        let installations = samples.filter { $0.name.hasPrefix("Installation") }
        #expect(!installations.isEmpty)
        for sample in installations {
            let read = try Installation(json: sample.bytes)
            #expect(read.additionalProperties.isEmpty)
            _ = try await bodyOfPut(read)
        }
        let patches = try #require(samples.first { $0.name == "PartialUpdatesNoSpaces" })
        let recorded = try JSONValue(parsing: patches.bytes)["0"]
        guard case .string(let template)? = recorded?["value"] else { throw CancellationError() }
        let transport = ScriptedTransport { _ in HubResponse(status: 200) }
        try await NotificationHub.scripted(transport).updateInstallation(
            Installation.ID.random(),
            with: [
                .setTemplate(
                    "template1", try JSONDecoder().decode(Installation.Template.self, from: Data(template.utf8)))
            ])
        let sent = try JSONValue(parsing: try #require(transport.requests.first).body)
        #expect(sent["0"] == recorded)
    }
}

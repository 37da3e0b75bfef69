import Foundation
import NotificationHubs
import Testing

/// Installations recorded from the real service, in the directory `HUB_RECORDINGS`. They are not part of this repository.
@Suite(.enabled(if: Recordings.folder != nil, "HUB_RECORDINGS is not set"))
struct RecordedInstallationTests {

    @Test func `reproduces every recorded installation without the service's additions`() async throws {
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
                #expect(read.additionalProperties.isEmpty, "\(file.name) has an unknown member")
                #expect(read.templates.values.allSatisfy { $0.additionalProperties.isEmpty })
                let sent = try JSONValue(parsing: try await bodyOfPut(read).utf8)
                #expect(try sent == sendable(JSONValue(parsing: content.utf8)), "\(file.name)")
                count += 1
            }
        }
        #expect(count > 0)
    }

    /// Returns a response without the service's additions: the expiration time, the channel's state, and a template's name as
    /// its tag.
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

    @Test func `reads the samples of the Java SDK and writes the same template patch`() async throws {
        let samples = try Recordings.files("java")
        let installations = samples.filter { $0.name.hasPrefix("Installation") }
        #expect(!installations.isEmpty)
        for sample in installations {
            let read = try Installation(json: sample.bytes)
            #expect(read.additionalProperties.isEmpty)
            _ = try await bodyOfPut(read)
        }
        let patches = try #require(samples.first { $0.name == "PartialUpdatesNoSpaces" })
        let recorded = try JSONValue(parsing: patches.bytes)[0]
        guard case .string(let template)? = recorded?["value"] else { throw CancellationError() }
        let transport = ScriptedTransport { _ in HubResponse(status: 200) }
        try await NotificationHub.scripted(transport).updateInstallation(
            Installation.ID.random(),
            with: [
                .setTemplate(
                    "template1", try JSONDecoder().decode(Installation.Template.self, from: Data(template.utf8)))
            ])
        let sent = try JSONValue(parsing: try #require(transport.requests.first).body)
        #expect(sent[0] == recorded)
    }
}

import Foundation
import HubServer
import HubTestSupport
import NotificationHubsTesting
import Testing

/// Devices that a command cannot read.
@Suite(.timeLimit(.minutes(30))) struct OmissionTests {
    /// A description in a feed.
    private static func entry(_ kind: String, _ content: String) -> String {
        """
        <entry xmlns="http://www.w3.org/2005/Atom"><content type="application/xml"><\(kind) \
        xmlns="http://schemas.microsoft.com/netservices/2010/10/servicebus/connect"><ETag>1</ETag>\(content)</\(kind)></content></entry>
        """
    }

    /// A feed with these entries.
    private static func feed(_ entries: [String]) -> String {
        "<feed xmlns=\"http://www.w3.org/2005/Atom\">\(entries.joined())</feed>"
    }

    /// A hub with an installation that can be read, one that cannot, an unknown kind, and a registration without a handle.
    private static func response(_ request: HTTPRequest) -> String {
        let target = request.target
        if request.method == "DELETE" { return NHubProgram.response(200) }
        if target.contains("/installations/good") {
            return NHubProgram.response(
                200, body: #"{"installationId":"good","platform":"gcm","pushChannel":"h"}"#)
        }
        if target.contains("/installations/bad") {
            return NHubProgram.response(200, body: #"{"installationId":"bad","platform":"gcm"}"#)
        }
        let gcm = "<GcmRegistrationId>h</GcmRegistrationId>"
        let entries = [
            entry(
                "GcmRegistrationDescription",
                "<RegistrationId>1</RegistrationId><Tags>$InstallationId:{bad}</Tags>\(gcm)"),
            entry("NokiaRegistrationDescription", "<RegistrationId>2</RegistrationId>"),
            entry("GcmRegistrationDescription", "<RegistrationId>3</RegistrationId>"),
            entry(
                "GcmRegistrationDescription",
                "<RegistrationId>4</RegistrationId><Tags>$InstallationId:{good}</Tags>\(gcm)"),
        ]
        return NHubProgram.response(200, body: feed(entries))
    }

    @Test(arguments: [
        (["list", "installations", "--json"], #""installationId":"good""#),
        (["list", "registrations", "--json"], #""registrationId":"4""#),
        (["list", "tags", "--json"], ""), (["export", "-"], #""installationId":"good""#),
        (["delete", "installations", "--all", "--dry-run"], "would be deleted: installation good"),
        (["migrate", "gcm-to-fcmv1", "--dry-run"], "would be moved: installation good"),
        (["dedupe", "--keep", "newest-expiry", "--dry-run"], ""),
    ])
    func `continues after a device that it cannot read, reports it and exits with 1`(
        words: [String], result: String
    ) async throws {
        let server = try RawServer { Self.response($0) }
        defer { server.stop() }
        let outcome = try await NHubProgram.run(words, port: server.port)
        let reports = outcome.output + outcome.messages
        #expect(outcome.status == 1)
        #expect(outcome.output.contains(result) || result.isEmpty, "\(reports)")
        #expect(reports.contains("the registration \"3\" cannot be read"), "\(reports)")
        let readsInstallations =
            ["installations", "-", "gcm-to-fcmv1", "--keep"].contains(words[1]) && words[0] != "delete"
        #expect(reports.contains("the installation \"bad\" cannot be read") == readsInstallations, "\(reports)")
        let ignoresOthers = words[0] == "migrate"
        #expect(reports.contains("NokiaRegistrationDescription") == !ignoresOthers, "\(reports)")
    }

    @Test(arguments: [
        (
            [
                "copy", "--to-connection-string-env", "NOTIFICATION_HUB_CONNECTION_STRING", "--to-hub", "other",
                "--yes", "--journal", "/tmp/nhub-omission-\(UUID().uuidString)",
            ],
            "skipped: registration 1: unknown elements: \"Zone\", \"Color\"\n0 copied, 1 skipped\n"
        ),
        (
            ["migrate", "gcm-to-fcmv1", "--yes"],
            "skipped: registration 1: unknown elements: \"Zone\", \"Color\"\n0 moved, 1 skipped\n"
        ),
        (
            ["export", "-"],
            "1 device: omitted, not supported by --format json: unknown elements: \"Zone\", \"Color\""
        ),
        (
            ["export", "-", "--format", "service"],
            "1 device: omitted, not supported by --format service: unknown elements: \"Zone\", \"Color\""
        ),
    ])
    func `omits a registration with elements that a copy would lack`(words: [String], report: String) async throws {
        let entry = Self.entry(
            "GcmRegistrationDescription",
            "<RegistrationId>1</RegistrationId><GcmRegistrationId>h</GcmRegistrationId><Zone>2</Zone><Color>3</Color>")
        let server = try RawServer { request in
            let isList = request.target.contains("/registrations/?") || request.target.contains("/registrations?")
            return NHubProgram.response(200, body: isList ? Self.feed([entry]) : entry)
        }
        defer { server.stop() }
        let outcome = try await NHubProgram.run(words, port: server.port)
        #expect(outcome.status == 1)
        #expect((outcome.output + outcome.messages).contains(report), "\(outcome.output + outcome.messages)")
        #expect(server.requests.allSatisfy { $0.method == "GET" })
    }

    @Test func `deletes neither of two registrations that may differ in an unknown element`() async throws {
        let entries = [1, 2].map { id in
            Self.entry(
                "GcmRegistrationDescription",
                "<RegistrationId>\(id)</RegistrationId><GcmRegistrationId>h</GcmRegistrationId><Zone>\(id)</Zone>")
        }
        let server = try RawServer { request in
            let entry = zip(1..., entries).first { id, _ in request.target.contains("/registrations/\(id)?") }?.1
            return NHubProgram.response(200, body: entry ?? Self.feed(entries))
        }
        defer { server.stop() }
        let outcome = try await NHubProgram.run(["dedupe", "--keep", "newest-expiry", "--yes"], port: server.port)
        #expect(outcome.status == 1)
        #expect(outcome.output.hasSuffix("\n0 deleted, 2 skipped\n"), "\(outcome.output + outcome.messages)")
        #expect(server.requests.allSatisfy { $0.method == "GET" })
    }
}

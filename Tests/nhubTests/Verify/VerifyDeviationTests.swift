import NotificationHubs
import Testing

@testable import nhub

/// Hubs that deviate from the emulator in one way.
@Suite(.timeLimit(.minutes(30))) struct VerifyDeviationTests {
    static let deviations = [
        Deviation(name: "a status", steps: ["installations/get-apns"], finding: "status installations/get-apns") {
            try await changed($0, .get, "/installations/\($1.installation("apns"))", $2) { $0.status = 203 }
        },
        Deviation(
            name: "the status of an error", steps: ["access/wrong-key"],
            finding: "access/wrong-key: expected status 401"
        ) {
            request, names, perform in
            let response = try await perform(request)
            return response.status == 401
                ? HubResponse(status: 403, headers: response.headers, body: response.body) : nil
        },
        Deviation(name: "a missing header", steps: ["messages/native-apns"], finding: "location messages/native-apns") {
            try await changed($0, .post, "/messages", $2) { $0.headers["Location"] = nil }
        },
        Deviation(
            name: "the value of a header", steps: ["registrations/create-apns"],
            finding: "content-type registrations/create-apns"
        ) {
            try await changed($0, .post, "/registrations", $2) { $0.headers["Content-Type"] = "text/xml" }
        },
        Deviation(name: "another header", steps: ["installations/get-apns"], finding: "x-new installations/get-apns") {
            try await changed($0, .get, "/installations/\($1.installation("apns"))", $2) { $0.headers["X-New"] = "1" }
        },
        Deviation(
            name: "a missing member", steps: ["installations/get-apns"],
            finding: "installations/get-apns: the user is nil"
        ) {
            try await changed($0, .get, "/installations/\($1.installation("apns"))", $2) {
                $0.replace(#/,"userId":"[^"]*"/#, with: "")
            }
        },
        Deviation(name: "another member", steps: ["installations/get-apns"], finding: "body installations/get-apns") {
            try await changed($0, .get, "/installations/\($1.installation("apns"))", $2) {
                $0.replace(#/^\{/#, with: #"{"new":1,"#)
            }
        },
        Deviation(
            name: "the value of a member", steps: ["installations/get-apns"], finding: "body installations/get-apns"
        ) {
            try await changed($0, .get, "/installations/\($1.installation("apns"))", $2) {
                $0.replace(#/"pushChannelExpired":false/#, with: #""pushChannelExpired":true"#)
            }
        },
        Deviation(
            name: "the order of members", steps: ["installations/get-apns"], finding: "body installations/get-apns"
        ) {
            try await changed($0, .get, "/installations/\($1.installation("apns"))", $2) {
                $0.replace(#/^\{("installationId":"[^"]*"),(.*)\}$/#) { "{\($0.2),\($0.1)}" }
            }
        },
        Deviation(
            name: "the order of elements", steps: ["registrations/create-apns"],
            finding: "body registrations/create-apns"
        ) {
            try await changed($0, .post, "/registrations", $2) {
                $0.replace(#/(<ETag>.*?<\/ETag>)(<ExpirationTime>.*?<\/ExpirationTime>)/#) { "\($0.2)\($0.1)" }
            }
        },
        Deviation(
            name: "the wording of an error", steps: ["access/unknown-installation"],
            finding: "body access/unknown-installation"
        ) {
            request, names, perform in
            try await changed(request, .get, "/installations/\(names.installation("unknown"))", perform) {
                $0.replace(#/Installation not found/#, with: "No such installation")
            }
        },
        Deviation(
            name: "a write that does not become visible", steps: ["installations/get-fcmV1"],
            finding: "installations/get-fcmV1: the installation did not take effect within 0 s"
        ) { request, names, perform in
            guard request.method == .get, request.path.hasSuffix("-fcmV1") else { return nil }
            return HubResponse(
                status: 404, body: Array("<Error><Code>404</Code><Detail>Installation not found</Detail></Error>".utf8))
        },
        Deviation(
            name: "a lost patch", steps: ["installations/get-add-tag"],
            finding: "installations/get-add-tag: the patch did not take effect"
        ) {
            request, names, _ in
            request.method == .patch && request.path.hasSuffix("-patch-add-tag") ? HubResponse(status: 200) : nil
        },
        Deviation(
            name: "a lost delete of an installation", steps: ["installations/put-adm"], finding: "installation verify-"
        ) {
            request, names, _ in
            request.method == .delete && request.path.hasSuffix("-adm") ? HubResponse(status: 204) : nil
        },
        Deviation(
            name: "a lost delete of a registration", steps: ["registrations/create-apns"], finding: "registration "
        ) {
            request, names, _ in
            request.method == .delete && request.path.contains("/registrations/") ? HubResponse(status: 200) : nil
        },
        Deviation(
            name: "a missing right", steps: ["registrations/list-by-tag"],
            finding: "registrations/list-by-tag: the key's policy lacks the Manage right"
        ) { request, names, _ in
            request.path.contains("/tags/") ? HubResponse(status: 403) : nil
        },
        Deviation(
            name: "an ignored condition", steps: ["registrations/update-outdated"],
            finding: "registrations/update-outdated: expected the error preconditionFailed"
        ) { request, names, perform in
            guard request.method == .put, request.headers["If-Match"] != nil else { return nil }
            var request = request
            request.headers["If-Match"] = "*"
            return try await perform(request)
        },
        Deviation(
            name: "an entity tag that does not change", steps: ["registrations/update"],
            finding: "registrations/update: the entity tag has not changed"
        ) { request, names, perform in
            try await changed(request, .put, "/registrations/", perform) {
                $0.replace(#/W\/&quot;2&quot;/#, with: "W/&quot;1&quot;")
                $0.replace(#/<ETag>2<\/ETag>/#, with: "<ETag>1</ETag>")
            }
        },
        Deviation(
            name: "a lost page", steps: ["registrations/create-", "registrations/pages"],
            finding: "registrations/pages: the number of registrations in pages of 7 is 7"
        ) { request, names, perform in
            guard request.query.contains("top=7") else { return nil }
            return try await changed(request, .get, "/tags/", perform) {
                $0.headers["X-MS-ContinuationToken"] = nil
                $0.replace(#/<link rel="next"[^>]*\/>/#, with: "")
            }
        },
        Deviation(
            name: "a cancelled message that is unknown", steps: ["messages/cancel"],
            finding: "messages/cancel: the cancellation is false"
        ) { request, names, _ in
            guard request.method == .delete, request.path.contains("/schedulednotifications/") else { return nil }
            return HubResponse(status: 404, body: Array("<Error><Code>404</Code><Detail>Unknown</Detail></Error>".utf8))
        },
        Deviation(
            name: "a tier without scheduling", steps: ["messages/schedule"],
            finding: "messages/schedule: the hub's tier does not include this feature"
        ) { request, names, _ in
            guard request.path.hasSuffix("/schedulednotifications") else { return nil }
            let text = "<Error><Code>403</Code><Detail>Scheduled send is not available for your tier</Detail></Error>"
            return HubResponse(status: 403, body: Array(text.utf8))
        },
        Deviation(
            name: "an accepted request", steps: ["messages/no-content-type"],
            finding: "refuted messages/no-content-type"
        ) {
            request, names, _ in
            request.path.hasSuffix("/messages") && request.headers["Content-Type"] == nil
                ? HubResponse(status: 201) : nil
        },
        Deviation(
            name: "another expiration time", steps: ["installations/get-expiring"],
            finding: "installations/get-expiring: the expiration time is"
        ) { request, names, perform in
            try await changed(request, .get, "/installations/\(names.installation("expiring"))", perform) {
                $0.replace(#/"expirationTime":"20[^"]*"/#, with: #""expirationTime":"2030-01-01T00:00:00Z""#)
            }
        },
    ]

    @Test(arguments: deviations) func `finds and names a deviation`(_ deviation: Deviation) async throws {
        let scene = try VerifyScene(deviation: deviation)
        var names = Set(VerifyStep.all.map(\.name).filter { name in deviation.steps.contains(where: name.hasPrefix) })
        for step in VerifyStep.all.reversed() where names.contains(step.name) {
            step.requirement.map { _ = names.insert($0) }
        }
        let rights = ["access/token", "access/listen", "access/manage", "access/send"]
        let steps = VerifyStep.all.filter {
            names.contains($0.name) || rights.contains($0.name) || $0.group == "removal"
        }
        let outcome = try await scene.perform(steps)
        #expect(
            outcome.findings.contains { $0.contains(deviation.finding) },
            "\(outcome.findings.joined(separator: "\n"))")
    }

    /// Performs a request, and changes its response if the method and the path match.
    private static func changed(
        _ request: HubRequest, _ method: HubRequest.Method, _ path: String,
        _ perform: (HubRequest) async throws -> HubResponse, _ change: (inout HubResponse) -> Void
    ) async throws -> HubResponse? {
        guard request.method == method, request.path.dropFirst("/contoso-hub".count).hasPrefix(path) else { return nil }
        var response = try await perform(request)
        change(&response)
        return response
    }
}

extension HubResponse {
    /// Replaces the matches of a pattern in the body.
    fileprivate mutating func replace(_ pattern: some RegexComponent, with text: String) {
        body = Array(String(decoding: body, as: UTF8.self).replacing(pattern, with: text).utf8)
    }

    fileprivate mutating func replace<Output>(
        _ pattern: Regex<Output>, with text: (Regex<Output>.Match) -> String
    ) {
        body = Array(String(decoding: body, as: UTF8.self).replacing(pattern, with: text).utf8)
    }
}

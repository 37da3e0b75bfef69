import NotificationHubs
import NotificationHubsEmulator
import SharedAccessSignature
import Testing

@testable import nhub

/// The requests that `nhub verify` may send.
@Suite struct VerifyScopeTests {
    static let names = VerifyNames(run: "verify-0123456789abcdef")

    /// A request, and whether it is one of the run's.
    struct Case: Sendable, CustomTestStringConvertible {
        let method: HubRequest.Method
        let path: String
        var query = ""
        var headers: HubHeaders = [:]
        var body = ""
        let isAllowed: Bool
        var testDescription: String { "\(method) \(path)?\(query) \(headers) \(body.prefix(60))" }
    }

    static func message(_ tags: String?, isAllowed: Bool) -> Case {
        var headers: HubHeaders = [:]
        headers["ServiceBusNotification-Tags"] = tags
        return Case(method: .post, path: "/hub/messages", headers: headers, isAllowed: isAllowed)
    }

    static let run = "verify-0123456789abcdef"

    @Test(arguments: [
        Case(method: .get, path: "/hub/installations/phone", isAllowed: true),
        Case(method: .put, path: "/hub/installations/\(run)-apns", isAllowed: true),
        Case(method: .put, path: "/hub/installations/phone", isAllowed: false),
        Case(method: .patch, path: "/hub/installations/phone", isAllowed: false),
        Case(method: .delete, path: "/hub/installations/phone", isAllowed: false),
        Case(method: .put, path: "/hub/installations/phone-\(run)", isAllowed: false),
        Case(method: .put, path: "/other/installations/\(run)-apns", isAllowed: false),
        Case(method: .post, path: "/hub/registrations", body: "<Tags>\(run)</Tags>", isAllowed: true),
        Case(method: .post, path: "/hub/registrations", body: "<Tags>news</Tags>", isAllowed: false),
        Case(method: .put, path: "/hub/registrations/1-2-3", body: "<Tags>\(run)</Tags>", isAllowed: false),
        Case(method: .delete, path: "/hub/registrations/1-2-3", isAllowed: false),
        message(nil, isAllowed: false),
        message("", isAllowed: false),
        message("news", isAllowed: false),
        message(run, isAllowed: true),
        message("(\(run) && \(run)-b)", isAllowed: true),
        message("\(run) || news", isAllowed: false),
        message("!\(run)", isAllowed: false),
        message("$UserId:{\(run)-user}", isAllowed: true),
        message("$UserId:{zoe}", isAllowed: false),
        message("$InstallationId:{phone-\(run)}", isAllowed: false),
        Case(method: .post, path: "/hub/messages", query: "direct=true", isAllowed: false),
        Case(
            method: .post, path: "/hub/messages", query: "direct=true",
            headers: ["ServiceBusNotification-DeviceHandle": "ABCD"], isAllowed: false),
        Case(
            method: .post, path: "/hub/messages", query: "api-version=2020-06&direct=true",
            headers: ["ServiceBusNotification-DeviceHandle": names?.channel(.apple).handle ?? ""], isAllowed: true),
        Case(
            method: .post, path: "/hub/messages/$batch", query: "direct=true", body: "--b\r\n\r\n[\"ABCD\"]\r\n--b--",
            isAllowed: false),
        Case(
            method: .post, path: "/hub/messages/$batch", query: "direct=true",
            body: "--b\r\n\r\n[\"\(names?.channel(.apple).handle ?? "")\"]\r\n--b--", isAllowed: true),
        Case(
            method: .post, path: "/hub/messages/$batch",
            body: "--b\r\n\r\n[\"\(names?.channel(.apple).handle ?? "")\"]\r\n--b--",
            isAllowed: false),
        Case(method: .post, path: "/hub/schedulednotifications", isAllowed: false),
        Case(method: .delete, path: "/hub/schedulednotifications/NH-1", isAllowed: false),
        Case(method: .post, path: "/hub/jobs", body: "<Type>ExportRegistrations</Type>", isAllowed: false),
        Case(method: .delete, path: "/hub", isAllowed: false),
        Case(method: .put, path: "/hub", isAllowed: false),
    ]) func `allows a request only for what the run has created`(_ test: Case) async throws {
        let names = try #require(Self.names)
        let emulator = HubEmulator()
        let scope = VerifyScope(names, of: "hub", at: emulator.makeClient().endpoint, allowsExport: false)
        let request = HubRequest(
            test.method, endpoint: emulator.makeClient().endpoint, path: test.path, query: test.query,
            headers: test.headers, body: Array(test.body.utf8))
        #expect((scope.refusal(of: request) == nil) == test.isAllowed, "\(scope.refusal(of: request) ?? "allowed")")
    }

    @Test func `changes a registration only after the hub has shown that it is the run's`() throws {
        let names = try #require(Self.names)
        let client = HubEmulator().makeClient()
        let scope = VerifyScope(names, of: "hub", at: client.endpoint, allowsExport: false)
        func request(_ method: HubRequest.Method, _ path: String, body: String = "") -> HubRequest {
            HubRequest(method, endpoint: client.endpoint, path: "/hub\(path)", body: Array(body.utf8))
        }
        func allows(_ id: String) -> [Bool] {
            [
                request(.put, "/registrations/\(id)", body: "<Tags>\(Self.run)</Tags>"),
                request(.delete, "/registrations/\(id)"),
            ].map { scope.refusal(of: $0) == nil }
        }
        // An ID in a response alone can be that of another registration.
        scope.didSend(
            request(.post, "/registrations"),
            HubResponse(status: 200, body: Array("<RegistrationId>1-2-3</RegistrationId>".utf8)))
        scope.didSend(
            request(.post, "/registrationids"),
            HubResponse(status: 201, headers: ["Location": "https://h/hub/registrationids/4-5-6?api-version=2020-06"]))
        #expect(allows("1-2-3") == [false, false] && allows("4-5-6") == [false, false])
        #expect(scope.left.registrations == ["1-2-3"])

        scope.didSend(
            request(.get, "/registrations/1-2-3"), HubResponse(status: 200, body: Array("<Tags>news</Tags>".utf8)))
        scope.didSend(
            request(.get, "/registrations/4-5-6"), HubResponse(status: 200, body: Array("<Tags>news</Tags>".utf8)))
        scope.didSend(request(.get, "/registrations/7-8-9"), HubResponse(status: 404))
        #expect(["1-2-3", "4-5-6", "7-8-9"].flatMap(allows).allSatisfy { !$0 })

        scope.didSend(
            request(.get, "/registrations/1-2-3"),
            HubResponse(status: 200, body: Array("<Tags>\(Self.run)</Tags>".utf8)))
        scope.didSend(request(.get, "/registrations/4-5-6"), HubResponse(status: 404))
        #expect(allows("1-2-3") == [true, true] && allows("4-5-6") == [true, true])
        scope.didSend(request(.delete, "/registrations/1-2-3"), HubResponse(status: 200))
        #expect(scope.left.registrations.isEmpty)
    }

    @Test func `refuses requests to another host`() throws {
        let names = try #require(Self.names)
        let scope = VerifyScope(names, of: "hub", at: HubEmulator().makeClient().endpoint, allowsExport: false)
        let request = HubRequest(
            .put, endpoint: try ServiceEndpoint("https://other.example"), path: "/hub/installations/\(Self.run)-apns")
        #expect(scope.refusal(of: request) != nil)
    }
}

import Foundation
import HubTestSupport
import NotificationHubs
import Testing

@Suite struct HubErrorTests {
    @Test(arguments: [
        (400, HubError.Code.badRequest), (401, .unauthorized), (403, .forbidden), (404, .notFound),
        (408, .serviceFailed), (409, .conflict), (410, .gone), (412, .preconditionFailed),
        (413, .payloadTooLarge), (429, .throttled), (500, .serviceFailed), (503, .serviceFailed),
        (302, .unexpectedStatus),
        (204, .unexpectedStatus),
    ])
    func `derives the code from the status`(status: Int, code: HubError.Code) async throws {
        #expect(try await error(HubResponse(status: status)).code == code)
    }

    @Test func `treats 403 with Retry-After as throttling`() async throws {
        #expect(try await error(HubResponse(status: 403, headers: ["Retry-After": "5"])).code == .throttled)
    }

    @Test func `measures a date in Retry-After by the service's clock`() async throws {
        let headers: HubHeaders = [
            "Date": "Sun, 06 Nov 1994 08:49:37 GMT", "Retry-After": "Sun, 06 Nov 1994 08:50:07 GMT",
        ]
        #expect(try await error(HubResponse(status: 429, headers: headers)).retryAfter == .seconds(30))
    }

    @Test func `distinguishes a missing feature of the tier from a missing right`() async throws {
        let body =
            "<Error><Code>403</Code><Detail>This operation is not available for your tier.TrackingId:t</Detail></Error>"
        let forbidden = HubResponse(status: 403, headers: ["Retry-After": "5"], body: Array(body.utf8))
        let error = try await error(forbidden)
        #expect(error.code == .notAvailableInTier)
        #expect(error.retryAfter == nil, "a retry would fail again")
        #expect(try await self.error(HubResponse(status: 400, body: forbidden.body)).code == .badRequest)
    }

    @Test func `parses the detail as one line, and the tracking ID`() async throws {
        let body = Array(try Data(contentsOf: Fixtures.url("hub/error-404.xml")))
        let error = try await error(HubResponse(status: 404, headers: ["TrackingId": "t-1"], body: body))
        #expect(error.detail?.hasPrefix("Installation not found. ") == true)
        #expect(error.trackingID == "t-1")
        #expect(error.description == "notFound (status 404): Installation not found [tracking ID t-1]")
        #expect(!error.description.contains { $0.isNewline })
    }

    @Test func `parses the code, subcode and tracking ID in the body`() async throws {
        let detail = "40103: Invalid authorization token signature. TrackingId:t-2, TimeStamp:1"
        let body = Array("<Error><Code>40100</Code><Detail>\(detail)</Detail></Error>".utf8)
        let headers: HubHeaders = ["x-ms-correlation-request-id": "c-1", "Retry-After": "7"]
        let throttled = try await error(HubResponse(status: 429, headers: headers, body: body))
        #expect((throttled.serviceCode, throttled.serviceSubcode, throttled.trackingID) == (40100, 40103, "t-2"))
        #expect((throttled.correlationID, throttled.retryAfter, throttled.attemptCount) == ("c-1", .seconds(7), 1))
        let conflict = Array("<Error><Code>409</Code><Detail>SubCode=40900. Conflict.</Detail></Error>".utf8)
        #expect(try await error(HubResponse(status: 409, body: conflict)).serviceSubcode == 40900)
    }

    @Test(arguments: [
        (#"{"error":{"code":"40103","message":"40103: Invalid signature. TrackingId:t-3"}}"#, 40103, "40103: Invalid"),
        (#"{"Code":401,"Detail":"40103: Invalid signature. TrackingId:t-3"}"#, 401, "40103: Invalid"),
        ("  40103: Invalid signature. TrackingId:t-3\n", nil, "40103: Invalid"),
    ])
    func `parses the reason in JSON and plain text`(body: String, code: Int?, start: String) async throws {
        let error = try await error(HubResponse(status: 401, body: Array(body.utf8)))
        #expect((error.serviceCode, error.serviceSubcode, error.trackingID) == (code, 40103, "t-3"))
        #expect(error.detail?.hasPrefix(start) == true)
    }

    @Test func `can be created in an adopter's tests`() {
        let error = HubError(.notFound, status: 404, detail: "no\nsuch installation")
        #expect(error.description == "notFound (status 404): no such installation")
        #expect(error.code.rawValue == "notFound")
    }

    @Test(arguments: [
        "<Error><Code>4x</Code><Detail>4010: x</Detail></Error>", "<Error><Detail>401031: x</Detail></Error>",
        "<Error><Code>99999999999999999999999</Code><Detail>40103 x</Detail></Error>",
        "<Error><Detail>SubCode=x TrackingId:</Detail></Error>", "<Error><Detail>４０１０３: x</Detail></Error>",
    ])
    func `ignores invalid codes and subcodes`(body: String) async throws {
        let error = try await error(HubResponse(status: 400, body: Array(body.utf8)))
        #expect((error.serviceCode, error.serviceSubcode, error.trackingID) == (nil, nil, nil))
    }

    @Test func `replaces control characters and line breaks with spaces`() async throws {
        let body = "<Error><Detail>a\u{85}b\u{2028}c\u{202e}d\u{9b}e</Detail></Error>"
        let headers = HubHeaders([(name: "TrackingId", value: "t\u{2028}\u{202e}")])
        let error = try await error(HubResponse(status: 500, headers: headers, body: Array(body.utf8)))
        #expect(error.detail == "a b c d e")
        #expect(error.trackingID == "t  ")
        let transport = ScriptedTransport { _ in HubResponse(status: 201, headers: headers) }
        let receipt = try await NotificationHub.scripted(transport).send(.template([:]), to: .tag("t"))
        #expect(receipt.trackingID == "t  ")
    }

    @Test func `truncates the detail after 1000 characters`() async throws {
        let body = "<Error><Detail>\(String(repeating: "é", count: 100_000))</Detail></Error>"
        #expect(try await error(HubResponse(status: 500, body: Array(body.utf8))).detail?.count == 1000)
    }

    @Test(arguments: [
        "", "<Error>", "<html><p>Bad gateway</p></html>", "<!DOCTYPE x><Error><Detail>d</Detail></Error>", "\u{0}",
    ])
    func `has no detail if the body cannot be parsed`(body: String) async throws {
        let error = try await error(HubResponse(status: 500, body: Array(body.utf8)))
        #expect(error.detail == nil)
        #expect(error.status == 500)
    }

    @Test(arguments: [
        (HubTransportError.Delivery.notSent, false, HubError.Code.connectionFailed),
        (.notSent, true, .timedOut), (.unknown, false, .mayHaveBeenAccepted),
        (.unknown, true, .mayHaveBeenAccepted),
    ])
    func `derives the code from the transport's error`(
        delivery: HubTransportError.Delivery, isTimeout: Bool, code: HubError.Code
    ) async throws {
        let transport = ScriptedTransport { _ in throw HubTransportError("x", delivery: delivery, isTimeout: isTimeout)
        }
        let error = await #expect(throws: HubError.self) {
            try await NotificationHub.scripted(transport).send(.template([:]), to: .tag("t"))
        }
        #expect(error?.code == code)
    }

    @Test func `rethrows CancellationError`() async throws {
        let transport = ScriptedTransport { _ in throw CancellationError() }
        await #expect(throws: CancellationError.self) {
            try await NotificationHub.scripted(transport).send(.template([:]), to: .tag("t"))
        }
    }

    private func error(_ response: HubResponse) async throws -> HubError {
        let transport = ScriptedTransport { _ in response }
        let id = try Installation.ID(validating: "i")
        return try #require(
            await #expect(throws: HubError.self) { try await NotificationHub.scripted(transport).installation(id) })
    }
}

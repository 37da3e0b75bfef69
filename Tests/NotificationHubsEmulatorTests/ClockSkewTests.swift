import Foundation
import HubLock
import HubTestSupport
import HubText
import NotificationHubs
import NotificationHubsEmulator
import SharedAccessSignature
import Testing

/// A client whose clock differs from the hub's.
@Suite struct ClockSkewTests {
    private static func emulator(_ offset: Duration) -> HubEmulator {
        HubEmulator(now: { Date(timeIntervalSinceNow: Double(offset.components.seconds)) })
    }

    private static let phone = Installation(id: "phone-1", pushChannel: .apple(deviceToken: [1, 2]))

    /// Puts an installation, and returns the events.
    private func events(of emulator: HubEmulator) async throws -> [HubEvent] {
        let events = Locked<[HubEvent]>([])
        var options = NotificationHub.Options.patient()
        options.observer = { event in events.withLock { $0.append(event) } }
        let client = emulator.makeClient(options: options)
        try await client.putInstallation(Self.phone)
        try await client.putInstallation(Self.phone)
        return events.withLock { $0 }
    }

    @Test func `signs for the hub's time after the hub rejects a token as expired`() async throws {
        let emulator = Self.emulator(.seconds(8 * 3600))
        let events = try await events(of: emulator)
        #expect(events.map(\.phase) == [.started, .retrying(after: .zero), .started, .finished, .started, .finished])
        #expect(events[1].failure == .unauthorized)
        let skew = try #require(events[1].clockSkew)
        #expect(abs(skew.components.seconds - 8 * 3600) <= 1800)
        #expect(emulator.installations.map(\.id) == ["phone-1"])
    }

    @Test func `needs no correction if its clock is ahead of the hub's`() async throws {
        let events = try await events(of: Self.emulator(.seconds(-8 * 3600)))
        #expect(events.map(\.phase) == [.started, .finished, .started, .finished])
        #expect(abs(try #require(events[1].clockSkew).components.seconds + 8 * 3600) <= 1800)
    }

    @Test func `retries once if the hub rejects the corrected token, too`() async throws {
        for (hours, message) in [(8, "8 h behind"), (-2, "2 h ahead of")] {
            let hub = RejectingHub(skew: Int64(hours) * 3600)
            let error = try await hub.error()
            #expect(error.detail == "this machine's clock is \(message) the hub's: 40106: x")
            #expect(hub.expiries.withLock(\.count) == 2)
        }
    }

    @Test func `does not sign for a time that differs by more than a day`() async throws {
        let hub = RejectingHub(skew: 73 * 365 * 86_400)
        let error = try await hub.error()
        #expect(error.detail?.contains(" days behind the hub's: 40106: x") == true)
        #expect(hub.expiries.withLock { $0 }.allSatisfy { $0 < Int64(Date().timeIntervalSince1970) + 7200 })
    }

    @Test func `does not mention a difference of seconds`() async throws {
        let error = try await RejectingHub(skew: 20).error()
        #expect(error.detail == "40106: x")
    }

    /// A hub that rejects each token as expired, and a client whose clock stands still.
    private struct RejectingHub: HubTransport {
        private static let now = Int64(Date().timeIntervalSince1970)
        /// The hub's time minus the client's, in seconds.
        let skew: Int64
        /// The expiries of the rejected tokens.
        let expiries = Locked<[Int64]>([])

        /// Returns the error of a call.
        func error() async throws -> HubError {
            let system = CallTime.system
            let time = CallTime(
                elapsed: system.elapsed, sleep: system.sleep, random: system.random, now: { Self.now })
            let key = SharedAccessKey(name: "rule", secret: "sesame")
            let client = try NotificationHub(
                endpoint: ServiceEndpoint("https://h"), name: "hub", tokens: SASSigningSource(key: key),
                transport: self,
                options: .patient(), time: time)
            return try #require(
                await #expect(throws: HubError.self) { try await client.putInstallation(ClockSkewTests.phone) })
        }

        func send(_ request: HubRequest, timeout: Duration) async throws -> HubResponse {
            let expiry = try #require(request.headers["Authorization"]?.firstMatch(of: /&se=([0-9]+)/)).1
            expiries.withLock { $0.append(Int64(expiry) ?? .max) }
            let date = Timestamp(seconds: Self.now + skew).map(HTTPDate.text) ?? ""
            return HubResponse(
                status: 401, headers: ["Date": date],
                body: Array("<Error><Code>401</Code><Detail>40106: x</Detail></Error>".utf8))
        }
    }
}

import Foundation
import HubLock
import HubTestSupport
import NotificationHubs
import NotificationHubsEmulator
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
        #expect(abs(skew.components.seconds - 8 * 3600) <= 2)
        #expect(emulator.installations.map(\.id) == ["phone-1"])
    }

    @Test func `needs no correction if its clock is ahead of the hub's`() async throws {
        let events = try await events(of: Self.emulator(.seconds(-8 * 3600)))
        #expect(events.map(\.phase) == [.started, .finished, .started, .finished])
        #expect(abs(try #require(events[1].clockSkew).components.seconds + 8 * 3600) <= 2)
    }

    @Test func `retries once if the hub rejects the corrected token, too`() async throws {
        for (hours, message) in [(8, "8 h behind"), (-2, "2 h ahead of")] {
            let hub = RejectingHub(date: Self.text(Date(timeIntervalSinceNow: Double(hours) * 3600)))
            let error = try await hub.error()
            #expect(error.detail == "this machine's clock is \(message) the hub's: 40106: x")
            #expect(hub.expiries.withLock(\.count) == 2)
        }
    }

    @Test func `does not sign for a time that differs by more than a day`() async throws {
        let hub = RejectingHub(date: "Sat, 28 Nov 2099 20:00:00 GMT")
        let error = try await hub.error()
        #expect(error.detail?.contains(" days behind the hub's: 40106: x") == true)
        #expect(hub.expiries.withLock { $0 }.allSatisfy { $0 < Int64(Date().timeIntervalSince1970) + 7200 })
    }

    @Test func `does not mention a difference of seconds`() async throws {
        let error = try await RejectingHub(date: Self.text(Date(timeIntervalSinceNow: 20))).error()
        #expect(error.detail == "40106: x")
    }

    /// Returns a date as in a header.
    private static func text(_ date: Date) -> String {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = TimeZone(identifier: "GMT")
        formatter.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
        return formatter.string(from: date)
    }

    /// A hub that rejects each token as expired.
    private struct RejectingHub: HubTransport {
        let date: String
        /// The expiries of the rejected tokens.
        let expiries = Locked<[Int64]>([])

        /// Returns the error of a call.
        func error() async throws -> HubError {
            let emulator = HubEmulator()
            let client = emulator.makeClient(
                connectionString: emulator.connectionString, transport: self, options: .patient())
            return try #require(
                await #expect(throws: HubError.self) { try await client.putInstallation(ClockSkewTests.phone) })
        }

        func send(_ request: HubRequest, timeout: Duration) async throws -> HubResponse {
            let expiry = try #require(request.headers["Authorization"]?.firstMatch(of: /&se=([0-9]+)/)).1
            expiries.withLock { $0.append(Int64(expiry) ?? .max) }
            return HubResponse(
                status: 401, headers: ["Date": date],
                body: Array("<Error><Code>401</Code><Detail>40106: x</Detail></Error>".utf8))
        }
    }
}

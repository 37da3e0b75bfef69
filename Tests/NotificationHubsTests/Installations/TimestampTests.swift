import Foundation
import NotificationHubs
import Testing

@Suite struct TimestampTests {
    @Test(arguments: [
        ("2026-01-31T23:59:59Z", "2026-01-31T23:59:59Z"), ("2026-01-31T23:59:59", "2026-01-31T23:59:59Z"),
        ("2026-01-31T23:59Z", "2026-01-31T23:59:00Z"), ("2026-01-31T23:59+0000", "2026-01-31T23:59:00Z"),
        ("2026-01-31T23:59:59.1Z", "2026-01-31T23:59:59Z"),
        ("2026-01-31T23:59:59.123456789+00", "2026-01-31T23:59:59Z"),
        ("2026-12-31T23:30:00-0130", "2027-01-01T01:00:00Z"), ("2026-01-01T00:00:00+00:01", "2025-12-31T23:59:00Z"),
        ("2024-02-29T00:00:00.9999999Z", "2024-02-29T00:00:00Z"), ("2000-02-29T12:00:00Z", "2000-02-29T12:00:00Z"),
        ("2018-11-07T02:18:33.0000000+02:00", "2018-11-07T00:18:33Z"), ("1970-01-01T00:00:00Z", "1970-01-01T00:00:00Z"),
        ("0001-01-01T00:00:00Z", "0001-01-01T00:00:00Z"), ("0001-01-01T00:00:00", "0001-01-01T00:00:00Z"),
        ("1969-12-31T23:59:59Z", "1969-12-31T23:59:59Z"),
        ("9999-12-31T23:59:58.9999999Z", "9999-12-31T23:59:58Z"),
    ])
    func `reads every form and writes the canonical one`(text: String, expected: String) throws {
        #expect(try written(try read(text).expirationTime) == expected)
    }

    @Test(arguments: [
        "", "2026", "2026-01-31", "2026-01-31 23:59:59Z", "2026-1-31T23:59:59Z", "2026-02-29T00:00:00Z",
        "1900-02-29T00:00:00Z", "2200-02-29T00:00:00Z", "2026-13-01T00:00:00Z", "2026-00-01T00:00:00Z",
        "2026-01-00T00:00:00Z",
        "2026-01-01T24:00:00Z", "2026-01-01T00:60:00Z", "2026-01-01T00:00:60Z", "2026-01-01T00:00:00.Z",
        "2026-01-01T00:00:00z", "2026-01-01T00:00:00+1", "2026-01-01T00:00:00+00:60", "2026-01-01T00:00:00+24",
        "2026-01-01T00:00:00ZZ", "2026-01-01T00:00:00Zx", "0000-01-01T00:00:00Z",
        "0001-01-01T00:00:00+00:01", "9999-12-31T23:59:59-00:01", "+2026-01-01T00:00:00Z", "２026-01-01T00:00:00Z",
    ])
    func `rejects an invalid time`(text: String) {
        #expect(throws: HubValidationError.self) { try read(text) }
    }

    @Test func `agrees with Foundation on seconds of the years 1583 to 9999`() throws {
        for _ in 0..<500 {
            let date = Date(timeIntervalSince1970: Double(Int.random(in: -12_212_553_600...253_402_300_799)))
            let text = date.formatted(.iso8601)
            #expect(try written(date) == text)
            #expect(try read(text).expirationTime == date)
        }
    }

    @Test(arguments: [Date.distantFuture, Date(timeIntervalSince1970: 1.999), Date(timeIntervalSince1970: -0.5)])
    func `sends whole seconds, rounded down`(date: Date) async throws {
        let text = Date(timeIntervalSince1970: date.timeIntervalSince1970.rounded(.down)).formatted(.iso8601)
        #expect(try await bodyOfPut(installation(date)).contains(#""expirationTime":"\#(text)""#))
    }

    @Test(arguments: [.nan, .infinity, -.infinity, 253_402_300_800, -62_135_596_801, 1e300])
    func `rejects a date outside the years 1 to 9999`(seconds: Double) async throws {
        try await expectNotSent(installation(Date(timeIntervalSince1970: seconds)))
    }

    @Test func `writes a template's expiry in the same form`() throws {
        #expect(
            try Installation.Template.Expiry.date(Date(timeIntervalSince1970: 0)).rawValue == "1970-01-01T00:00:00Z")
        #expect(throws: HubValidationError.self) {
            try Installation.Template.Expiry.date(Date(timeIntervalSince1970: .nan))
        }
    }

    private func installation(_ date: Date?) throws -> Installation {
        Installation(
            id: try .init(validating: "i"), pushChannel: PushChannel(platform: .apple, handle: "AB"),
            expirationTime: date
        )
    }

    private func read(_ text: String) throws -> Installation {
        try Installation(json: InstallationJSONTests.minimal(#""expirationTime":"\#(text)""#).utf8)
    }

    private func written(_ date: Date?) throws -> String? {
        let json = try JSONValue(parsing: try installation(date).json)
        guard case .string(let text)? = json["expirationTime"] else { return nil }
        return text
    }
}

import Foundation
import HubTestSupport
import NotificationHubs
import NotificationHubsEmulator
import Testing

@Suite(.timeLimit(.minutes(30))) struct DedupeTests {
    /// Returns installations with the handle `h`, which expire after some days; `nil` for never.
    private static func devices(_ days: [Int?]) -> [Installation] {
        let now = Date(timeIntervalSince1970: Date().timeIntervalSince1970.rounded())
        return zip(1..., days).map { number, days in
            Installation(
                id: Installation.ID(number), pushChannel: .fcmV1(registrationToken: "h"),
                expirationTime: days.map { now + Double($0) * 86_400 })
        }
    }

    private static let other = Installation(id: "other", pushChannel: .fcmV1(registrationToken: "another"))

    @Test(arguments: [
        ([1, 2, nil], ["phone-3"]), ([2, 1], ["phone-1"]), ([1, 1], ["phone-1", "phone-2"]),
        ([nil, nil, 1], ["phone-1", "phone-2", "phone-3"]),
        // In the year 5312, after the distant future of Foundation.
        ([nil, 1_200_000], ["phone-1"]),
    ])
    func `keeps the installation that expires last, if there is one`(days: [Int?], kept: [String]) async throws {
        let scene = try await DeviceScene(Self.devices(days) + [Self.other])
        defer { scene.remove() }
        let outcome = try await scene.run("dedupe", "--keep", "newest-expiry", "--yes")
        #expect(scene.emulator.installations.map(\.id.rawValue) == ["other"] + kept)
        #expect(outcome.status == (kept.count == 1 ? 0 : 1))
        if kept.count > 1 {
            #expect(
                outcome.lines.first
                    == "skipped: installation phone-1: \(kept.count) with the same handle; several have the latest expiration time"
            )
        }
    }

    @Test(arguments: [
        ("phone-2\n", ["phone-2"]), ("phone-1\nphone-2\n", ["phone-1", "phone-2"]),
        ("other\n", ["phone-1", "phone-2"]),
    ])
    func `keeps the installation in the file, if there is one`(file: String, kept: [String]) async throws {
        let scene = try await DeviceScene(Self.devices([1, 2]) + [Self.other])
        defer { scene.remove() }
        try scene.write(file, to: "ids")
        let outcome = try await scene.run("dedupe", "--keep", "id-file", "ids", "--yes")
        #expect(outcome.status == (kept.count == 1 ? 0 : 1))
        #expect(scene.emulator.installations.map(\.id.rawValue) == ["other"] + kept)
    }

    @Test func `leaves devices alone that only share a platform or a handle`() async throws {
        let scene = try await DeviceScene(
            [
                Installation(id: "a", pushChannel: .fcmV1(registrationToken: "h"), expirationTime: Date() + 86_400),
                Installation(id: "b", pushChannel: .gcm(registrationID: "h")),
            ],
            [
                Registration(pushChannel: .gcm(registrationID: "i")),
                Registration(pushChannel: .fcmV1(registrationToken: "h"), template: .init(body: #"{"message":{}}"#)),
            ])
        defer { scene.remove() }
        let outcome = try await scene.run("dedupe", "--keep", "newest-expiry", "--yes")
        #expect(outcome.status == 0 && outcome.output == "0 deleted\n")
        #expect(scene.emulator.installations.count == 2)
        #expect(try await scene.otherRegistrations().count == 2)
    }

    @Test(arguments: [(true, 0, "1 deleted", 1), (false, 1, "0 deleted, 2 skipped", 2)])
    func `keeps one of several equal registrations, and all that differ in their tags`(
        areEqual: Bool, status: Int32, result: String, count: Int
    ) async throws {
        let registration = Registration(pushChannel: .fcmV1(registrationToken: "h"))
        var other = registration
        if !areEqual { other.tags = ["news"] }
        let scene = try await DeviceScene([], [registration, other])
        defer { scene.remove() }
        let outcome = try await scene.run("dedupe", "--keep", "newest-expiry", "--yes")
        #expect(outcome.status == status && outcome.lines.last == result)
        #expect(try await scene.otherRegistrations().count == count)
    }

    @Test func `reports an installation and a registration with the same handle`() async throws {
        let scene = try await DeviceScene(
            [Self.other], [Registration(pushChannel: .fcmV1(registrationToken: "another"))])
        defer { scene.remove() }
        let outcome = try await scene.run("dedupe", "--keep", "newest-expiry", "--yes")
        #expect(outcome.status == 1 && outcome.lines.last == "0 deleted, 1 skipped")
        #expect(outcome.lines.first?.hasSuffix(": installation other has the same handle") == true)
        #expect(scene.emulator.installations.count == 1)
        #expect(try await scene.otherRegistrations().count == 1)
    }

    @Test func `deletes the duplicates of many devices and of one with many`() async throws {
        let now = Date(timeIntervalSince1970: Date().timeIntervalSince1970.rounded())
        let devices = (1...300).map { number in
            Installation(
                id: Installation.ID(number),
                pushChannel: .fcmV1(registrationToken: number <= 100 ? "shared" : "h-\(number / 2)"),
                expirationTime: now + Double(number) * 86_400)
        }
        let scene = try await DeviceScene(devices)
        defer { scene.remove() }
        let outcome = try await scene.run("dedupe", "--keep", "newest-expiry", "--yes")
        #expect(outcome.status == 0 && outcome.output == "198 deleted\n")
        let kept = scene.emulator.installations.map(\.id.rawValue).sorted()
        #expect(kept == ([100, 300] + stride(from: 101, to: 300, by: 2)).map { "phone-\($0)" }.sorted())
    }

    @Test func `changes nothing in a dry run`() async throws {
        let scene = try await DeviceScene(Self.devices([1, 2]))
        defer { scene.remove() }
        let outcome = try await scene.run("dedupe", "--keep", "newest-expiry", "--dry-run")
        #expect(outcome.lines == ["would be deleted: installation phone-1", "1 would be deleted"])
        #expect(scene.emulator.installations.count == 2)
    }

    @Test(arguments: [
        (["dedupe"], "missing --keep newest-expiry or --keep id-file FILE"),
        (["dedupe", "--keep", "any"], "--keep: expected newest-expiry or id-file"),
        (["dedupe", "--keep", "id-file"], "missing file: --keep id-file FILE"),
        (["dedupe", "--keep", "newest-expiry", "x"], "unexpected argument"),
    ])
    func `rejects invalid command lines`(words: [String], message: String) async throws {
        try await NHubProgram.expectUsageError(words, message)
    }
}

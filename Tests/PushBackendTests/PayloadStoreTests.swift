import Foundation
import HubLock
import HubTestSupport
@testable import PushBackend
import Testing

/// What both stores do alike.
@Suite struct PayloadStoreTests {
    enum Kind: CaseIterable {
        case memory
        case directory
    }

    /// A store, its clock, and a folder that goes with it.
    final class Scene: Sendable {
        let store: any SecurePayloadStore
        let folder = FileManager.default.temporaryDirectory.appending(path: "payloads-\(UUID().uuidString)")
        private let clock = Locked(BackendScene.start)

        init(
            _ kind: Kind, ids: SecurePayload.ID.Format = .text, limits: SecurePayloadLimits = SecurePayloadLimits()
        ) throws {
            let now = { @Sendable [clock] in clock.withLock { $0 } }
            switch kind {
            case .memory: store = MemoryPayloadStore(ids: ids, limits: limits, now: now)
            case .directory: store = try DirectoryPayloadStore(path: folder.path, ids: ids, limits: limits, now: now)
            }
        }

        deinit { try? FileManager.default.removeItem(at: folder) }

        func wait(_ seconds: TimeInterval) {
            clock.withLock { $0 += seconds }
        }

        func payload(_ text: String = "secret", of user: AppBackend.User = alice) -> SecurePayload {
            SecurePayload(text: text, user: user, expiry: clock.withLock { $0 } + 60)
        }
    }

    static let alice = AppBackend.User(name: "alice")
    static let bob = AppBackend.User(name: "bob")

    @Test(
        arguments: Kind.allCases,
        ["secret", "", "\0 \" \\ \u{2028} 😀 e\u{301}", String(repeating: "x", count: 100_000)])
    func `gives back what it keeps`(kind: Kind, text: String) async throws {
        let scene = try Scene(kind)
        let id = try await scene.store.insert(scene.payload(text))
        let payload = try #require(try await scene.store.payload(id, of: Self.alice))
        #expect(payload.text.utf8.elementsEqual(text.utf8))
        #expect(payload.user == Self.alice)
        #expect(payload.expiry == BackendScene.start + 60)
    }

    @Test(arguments: Kind.allCases)
    func `gives nobody another's payload`(kind: Kind) async throws {
        let scene = try Scene(kind)
        let id = try await scene.store.insert(scene.payload())
        #expect(try await scene.store.payload(id, of: Self.bob) == nil)
        #expect(try await !scene.store.claim(id, of: Self.bob, by: "phone"))
        try await scene.store.remove(id, of: Self.bob)
        #expect(try await scene.store.payload(id, of: Self.alice) != nil)
    }

    @Test(arguments: Kind.allCases)
    func `gives a payload until it ends`(kind: Kind) async throws {
        let scene = try Scene(kind)
        let id = try await scene.store.insert(scene.payload())
        scene.wait(59)
        #expect(try await scene.store.payload(id, of: Self.alice) != nil)
        scene.wait(1)
        #expect(try await scene.store.payload(id, of: Self.alice) == nil)
        #expect(try await !scene.store.claim(id, of: Self.alice, by: "phone"))
    }

    @Test(arguments: Kind.allCases)
    func `forgets what is removed`(kind: Kind) async throws {
        let scene = try Scene(kind)
        let id = try await scene.store.insert(scene.payload())
        try await scene.store.remove(id, of: Self.alice)
        try await scene.store.remove(id, of: Self.alice)
        #expect(try await scene.store.payload(id, of: Self.alice) == nil)
    }

    @Test(arguments: Kind.allCases)
    func `gives each device a payload once, of many calls at once too`(kind: Kind) async throws {
        let scene = try Scene(kind)
        let id = try await scene.store.insert(scene.payload())
        let claims = try await withThrowingTaskGroup(of: Bool.self) { group in
            for index in 0..<20 {
                group.addTask { try await scene.store.claim(id, of: Self.alice, by: "phone-\(index % 2)") }
            }
            return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(claims == 2)
        #expect(try await scene.store.payload(id, of: Self.alice) != nil)
    }

    @Test func `notes no devices without end`() async throws {
        // The disk would take long for a hundred, one after the other.
        let scene = try Scene(.memory)
        let id = try await scene.store.insert(scene.payload())
        for index in 0..<100 { #expect(try await scene.store.claim(id, of: Self.alice, by: "\(index)")) }
        #expect(try await !scene.store.claim(id, of: Self.alice, by: "another"))
    }

    @Test(arguments: Kind.allCases)
    func `keeps no more of a user than one may have, until some have ended`(kind: Kind) async throws {
        let scene = try Scene(kind, limits: .init(countPerUser: 2))
        for _ in 0..<2 { _ = try await scene.store.insert(scene.payload()) }
        let limit = SecurePayloadStoreError.userLimitReached(until: BackendScene.start + 60)
        scene.wait(1)
        await #expect(throws: limit) { try await scene.store.insert(scene.payload()) }
        _ = try await scene.store.insert(scene.payload(of: Self.bob))
        scene.wait(59)
        _ = try await scene.store.insert(scene.payload())
    }

    @Test(arguments: Kind.allCases, [SecurePayloadLimits(count: 2), SecurePayloadLimits(byteCount: 250)])
    func `keeps no more than there is room for, until some has ended`(kind: Kind, limits: SecurePayloadLimits)
        async throws
    {
        let scene = try Scene(kind, limits: limits)
        let text = String(repeating: "x", count: 90)
        let id = try await scene.store.insert(scene.payload(text))
        _ = try await scene.store.insert(scene.payload(text, of: Self.bob))
        await #expect(throws: SecurePayloadStoreError.storeFull) { try await scene.store.insert(scene.payload(text)) }
        try await scene.store.remove(id, of: Self.alice)
        _ = try await scene.store.insert(scene.payload(text))
    }

    @Test(arguments: Kind.allCases)
    func `ids are 22 characters that nobody guesses, or numbers of 31 bits`(kind: Kind) async throws {
        let texts = try Scene(kind)
        let numbers = try Scene(kind, ids: .number)
        var seen: Set<SecurePayload.ID> = []
        for _ in 0..<20 {
            let text = try await texts.store.insert(texts.payload())
            #expect(text.rawValue.utf8.count == 22)
            let number = try await numbers.store.insert(numbers.payload())
            #expect(Int32(number.rawValue).map { $0 > 0 } == true)
            #expect(try await numbers.store.payload(number, of: Self.alice) != nil)
            #expect(seen.insert(text).inserted && seen.insert(number).inserted)
        }
    }

    @Test(arguments: [
        "", "0", "-1", "+1", "01", "2147483648", "1e3", "..", "/", "AAAAAAAAAAAAAAAAAAAAA", "AAAAAAAAAAAAAAAAAAAAAAA",
        "AAAAAAAAAAAAAAAAAAAAA/", "AAAAAAAAAAAAAAAAAAAAA.", "AAAAAAAAAAAAAAAAAAAAA\u{301}",
    ])
    func `other texts are no ids`(text: String) {
        #expect(SecurePayload.ID(text) == nil)
    }

    @Test func `payloads do not show their text`() {
        let payload = SecurePayload(text: "open sesame", user: Self.alice, expiry: BackendScene.start)
        #expect(!everythingPrinted(of: payload).contains("open sesame"))
    }
}

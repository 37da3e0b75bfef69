import Foundation
import HubLock
import HubTestSupport
@testable import PushBackend
import Testing

/// The common behavior of the stores.
@Suite struct PayloadStoreTests {
    enum Kind: CaseIterable {
        case memory
        case directory
        case blobs
    }

    /// A store, its clock, and a directory that is deleted at the end.
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
            case .blobs: store = try BlobScene(now: now).store(ids: ids, countPerUser: limits.countPerUser)
            }
        }

        deinit { try? FileManager.default.removeItem(at: folder) }

        func advanceClock(by seconds: TimeInterval) {
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
    func `returns a stored payload`(kind: Kind, text: String) async throws {
        let scene = try Scene(kind)
        let id = try await scene.store.insert(scene.payload(text))
        let payload = try #require(try await scene.store.payload(id, of: Self.alice))
        #expect(payload.text.utf8.elementsEqual(text.utf8))
        #expect(payload.user == Self.alice)
        #expect(payload.expiry == BackendScene.start + 60)
    }

    @Test(arguments: Kind.allCases)
    func `does not return, claim or remove another user's payload`(kind: Kind) async throws {
        let scene = try Scene(kind)
        let id = try await scene.store.insert(scene.payload())
        #expect(try await scene.store.payload(id, of: Self.bob) == nil)
        #expect(try await !scene.store.claim(id, of: Self.bob, by: "phone"))
        try await scene.store.remove(id, of: Self.bob)
        #expect(try await scene.store.payload(id, of: Self.alice) != nil)
    }

    @Test(arguments: Kind.allCases)
    func `returns a payload until it expires`(kind: Kind) async throws {
        let scene = try Scene(kind)
        let id = try await scene.store.insert(scene.payload())
        scene.advanceClock(by: 59)
        #expect(try await scene.store.payload(id, of: Self.alice) != nil)
        scene.advanceClock(by: 1)
        #expect(try await scene.store.payload(id, of: Self.alice) == nil)
        #expect(try await !scene.store.claim(id, of: Self.alice, by: "phone"))
    }

    @Test(arguments: Kind.allCases)
    func `removes a payload`(kind: Kind) async throws {
        let scene = try Scene(kind)
        let id = try await scene.store.insert(scene.payload())
        try await scene.store.remove(id, of: Self.alice)
        try await scene.store.remove(id, of: Self.alice)
        #expect(try await scene.store.payload(id, of: Self.alice) == nil)
    }

    @Test(arguments: Kind.allCases)
    func `accepts one claim per device, even with concurrent calls`(kind: Kind) async throws {
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

    // A hundred sequential writes would take too long in the directory store.
    @Test(arguments: [Kind.memory, .blobs])
    func `limits the number of devices per payload`(kind: Kind) async throws {
        let scene = try Scene(kind)
        let id = try await scene.store.insert(scene.payload())
        for index in 0..<100 { #expect(try await scene.store.claim(id, of: Self.alice, by: "\(index)")) }
        #expect(try await !scene.store.claim(id, of: Self.alice, by: "one more"))
    }

    @Test(arguments: Kind.allCases)
    func `enforces the limit per user until payloads expire`(kind: Kind) async throws {
        let scene = try Scene(kind, limits: .init(countPerUser: 2))
        for _ in 0..<2 { _ = try await scene.store.insert(scene.payload()) }
        let limit = SecurePayloadStoreError.userLimitReached(until: BackendScene.start + 60)
        scene.advanceClock(by: 1)
        await #expect(throws: limit) { try await scene.store.insert(scene.payload()) }
        _ = try await scene.store.insert(scene.payload(of: Self.bob))
        scene.advanceClock(by: 59)
        _ = try await scene.store.insert(scene.payload())
    }

    @Test(
        arguments: [Kind.memory, .directory], [SecurePayloadLimits(count: 2), SecurePayloadLimits(byteCount: 250)])
    func `enforces the total limits until a payload is removed`(kind: Kind, limits: SecurePayloadLimits)
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

    @Test(arguments: [Kind.memory, .directory])
    func `counts claims toward the limits until a payload is removed`(kind: Kind) async throws {
        let scene = try Scene(kind, limits: .init(byteCount: 300))
        let id = try await scene.store.insert(scene.payload())
        #expect(try await scene.store.claim(id, of: Self.alice, by: String(repeating: "a", count: 200)))
        await #expect(throws: SecurePayloadStoreError.storeFull) {
            try await scene.store.claim(id, of: Self.alice, by: String(repeating: "b", count: 200))
        }
        try await scene.store.remove(id, of: Self.alice)
        _ = try await scene.store.insert(scene.payload(String(repeating: "x", count: 200)))
    }

    @Test(arguments: Kind.allCases)
    func `creates unique IDs of 22 characters or 31 bits`(kind: Kind) async throws {
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
    func `rejects an invalid ID`(text: String) {
        #expect(SecurePayload.ID(text) == nil)
    }

    @Test func `omits the text from descriptions`() {
        let payload = SecurePayload(text: "open sesame", user: Self.alice, expiry: BackendScene.start)
        #expect(!everythingPrinted(of: payload).contains("open sesame"))
    }
}

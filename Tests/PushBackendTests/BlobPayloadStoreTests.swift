import Foundation
import HubLock
import HubTestSupport
import NotificationHubs
import NotificationHubsEmulator
import Testing

@testable import PushBackend

/// The behavior of the store that several instances share.
@Suite struct BlobPayloadStoreTests {
    private static let alice = AppBackend.User(name: "alice")
    private static let start = BackendScene.start

    private static func payload(
        _ text: String = "secret", of user: AppBackend.User = alice, seconds: Double = 60
    ) -> SecurePayload {
        SecurePayload(text: text, user: user, expiry: start + seconds)
    }

    // MARK: Several instances

    @Test func `shares payloads between instances`() async throws {
        let scene = try BlobScene()
        let (one, two) = (try scene.store(), try scene.store())
        let id = try await one.insert(Self.payload())
        #expect(try await two.payload(id, of: Self.alice)?.text == "secret")
        #expect(try await two.claim(id, of: Self.alice, by: "phone"))
        #expect(try await !one.claim(id, of: Self.alice, by: "phone"))
        try await one.remove(id, of: Self.alice)
        #expect(try await two.payload(id, of: Self.alice) == nil)
    }

    @Test func `accepts one claim per device on several instances`() async throws {
        let scene = try BlobScene()
        let id = try await scene.store().insert(Self.payload())
        let claims = try await withThrowingTaskGroup(of: Bool.self) { group in
            for index in 0..<40 {
                let store = try scene.store()
                group.addTask { try await store.claim(id, of: Self.alice, by: "phone-\(index % 10)") }
            }
            return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(claims == 10)
    }

    @Test func `names blobs by the hash of the user's key`() async throws {
        let scene = try BlobScene()
        let id = try await scene.store().insert(Self.payload())
        let name = try #require(try await scene.blobs().first?.name)
        #expect(name == "\(PayloadFileName.user(Self.alice))/\(id)")
    }

    // MARK: Lost requests and responses

    @Test(arguments: [BlobScene.Fault.lostRequest, .lostResponse(), .status(503), .status(500)])
    func `stores a payload once if a request or its response is lost`(fault: BlobScene.Fault) async throws {
        let scene = try BlobScene()
        scene.inject(fault, on: .put)
        let id = try await scene.store().insert(Self.payload())
        #expect(try await scene.blobs().count == 1)
        #expect(try await scene.store().payload(id, of: Self.alice)?.text == "secret")
    }

    @Test(arguments: [BlobScene.Fault.lostRequest, .lostResponse(), .status(503)])
    func `recognizes its own claim if a request or its response is lost`(fault: BlobScene.Fault) async throws {
        let scene = try BlobScene()
        let store = try scene.store()
        let id = try await store.insert(Self.payload())
        scene.inject(fault, on: .put)
        #expect(try await store.claim(id, of: Self.alice, by: "phone"))
        #expect(try await !scene.store().claim(id, of: Self.alice, by: "phone"))
    }

    @Test func `recognizes its own claim after another device's claim`() async throws {
        let scene = try BlobScene()
        let store = try scene.store()
        let id = try await store.insert(Self.payload())
        let other = try scene.store()
        scene.inject(.lostResponse(after: { _ = try await other.claim(id, of: Self.alice, by: "tablet") }), on: .put)
        #expect(try await store.claim(id, of: Self.alice, by: "phone"))
        #expect(try await !other.claim(id, of: Self.alice, by: "tablet"))
    }

    @Test func `does not report a claim of another instance as its own`() async throws {
        let scene = try BlobScene()
        let (one, two) = (try scene.store(), try scene.store())
        let id = try await one.insert(Self.payload())
        scene.inject(.lostRequest, on: .put)
        async let first = one.claim(id, of: Self.alice, by: "phone")
        async let second = two.claim(id, of: Self.alice, by: "phone")
        let results = try await [first, second]
        #expect(results.count { $0 } == 1)
    }

    @Test func `fails without an ID if all attempts fail`() async throws {
        let scene = try BlobScene()
        for _ in 0..<2 { scene.inject(.status(503), on: .put) }
        let store = try scene.store(maximumAttempts: 2)
        await #expect { _ = try await store.insert(Self.payload()) } throws: { error in
            let error = error as? BlobPayloadStoreError
            return error?.code == .unavailable && error?.status == 503
        }
        #expect(try await scene.blobs().isEmpty)
    }

    @Test func `chooses another ID if a number is in use`() async throws {
        let scene = try BlobScene()
        let store = try scene.store(ids: .number)
        scene.inject(.nameInUse, on: .put)
        let id = try await store.insert(Self.payload())
        #expect(scene.methods.count { $0 == "PUT" } == 2)
        #expect(try await store.payload(id, of: Self.alice)?.text == "secret")
    }

    @Test func `fails if ten numbers are in use`() async throws {
        let scene = try BlobScene()
        let store = try scene.store(ids: .number)
        scene.inject(.nameInUse, on: .put, count: 10)
        let error = await #expect(throws: BlobPayloadStoreError.self) { try await store.insert(Self.payload()) }
        #expect(error?.code == .tooManyConflicts)
        #expect(try await scene.blobs().isEmpty)
    }

    @Test func `fails if the payload changes before each of 200 writes of a claim`() async throws {
        let scene = try BlobScene()
        let store = try scene.store()
        let id = try await store.insert(Self.payload())
        scene.inject(.status(412), on: .put, count: 200)
        let error = await #expect(throws: BlobPayloadStoreError.self) {
            try await store.claim(id, of: Self.alice, by: "phone")
        }
        #expect(error?.code == .tooManyConflicts)
    }

    @Test func `does not replace a payload whose ID is in use`() async throws {
        let scene = try BlobScene()
        let probe = try PayloadProbe(scene)
        let id = try #require(SecurePayload.ID("7"))
        let blob = PayloadBlob(text: "first", expiry: .max)
        #expect(try await probe.put(blob, id, of: Self.alice, entityTag: nil))
        #expect(try await !probe.put(PayloadBlob(text: "second", expiry: .max), id, of: Self.alice, entityTag: nil))
        #expect(try await probe.put(blob, id, of: Self.alice, entityTag: nil), "the same write")
        #expect(try await scene.store().payload(id, of: Self.alice)?.text == "first")
    }

    // MARK: Limits and expired payloads

    @Test(arguments: [
        ("0x8D", "\"0x8D\""), ("\"0x8D\"", "\"0x8D\""), ("&#10;0x8D&#13;", "\"0x8D\""), ("0x&#127;8D", nil),
        ("0x&#10;8D", nil), ("", nil),
    ])
    func `skips a blob whose entity tag is not a header value`(text: String, tag: String?) {
        let name = "\(PayloadFileName.user(Self.alice))/7"
        let page = PayloadBlobPage(
            Array(
                """
                <EnumerationResults><Blobs><Blob><Name>\(name)</Name><Properties><Etag>\(text)</Etag></Properties>\
                <Metadata><expiry>1</expiry></Metadata></Blob></Blobs></EnumerationResults>
                """.utf8))
        #expect(page?.items.map(\.entityTag) == (tag.map { [$0] } ?? []))
    }

    @Test func `counts a user's payloads over several pages`() async throws {
        let clock = Locked(Self.start)
        let scene = try BlobScene { clock.withLock { $0 } }
        let all = try scene.store()
        for number in 0..<110 {
            _ = try await all.insert(Self.payload("\(number)", seconds: number < 100 ? 10 : 60))
        }
        let store = try scene.store(countPerUser: 101, pageSize: 100)
        await #expect(throws: SecurePayloadStoreError.userLimitReached(until: Self.start + 10)) {
            try await store.insert(Self.payload())
        }
        clock.withLock { $0 += 10 }
        _ = try await store.insert(Self.payload())
        let limit = try scene.store(countPerUser: 11, pageSize: 100)
        await #expect(throws: SecurePayloadStoreError.userLimitReached(until: Self.start + 60)) {
            try await limit.insert(Self.payload())
        }
        scene.clearRequests()
        #expect(try await store.removeExpired() == 100)
        #expect(try await scene.blobs().count == 11)
        #expect(scene.methods.count { $0 == "GET" } == 2, "one list request per page")
        #expect(try await store.removeExpired() == 0)
    }

    @Test func `deletes other expired payloads if the service refuses to delete one`() async throws {
        let clock = Locked(Self.start)
        let scene = try BlobScene { clock.withLock { $0 } }
        let store = try scene.store(pageSize: 20)
        for number in 0..<40 { _ = try await store.insert(Self.payload("\(number)")) }
        clock.withLock { $0 += 60 }
        scene.inject(.status(409), on: .delete)
        let error = await #expect(throws: BlobPayloadStoreError.self) { try await store.removeExpired() }
        #expect(error?.status == 409)
        #expect(try await scene.blobs().count == 1)
        #expect(try await store.removeExpired() == 1)
    }

    @Test func `lists at most 1000 payloads per page`() async throws {
        let scene = try BlobScene()
        _ = try await scene.store().removeExpired()
        #expect(scene.queries.last?.contains("maxresults=1000") == true)
    }

    @Test func `deletes each expired payload once on several instances`() async throws {
        let clock = Locked(Self.start)
        let scene = try BlobScene { clock.withLock { $0 } }
        let store = try scene.store()
        for number in 0..<100 { _ = try await store.insert(Self.payload("\(number)")) }
        clock.withLock { $0 += 60 }
        let kept = try await store.insert(SecurePayload(text: "kept", user: Self.alice, expiry: Self.start + 61))
        try scene.container.write("other".utf8, to: "other")
        let count = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<3 {
                let store = try scene.store()
                group.addTask { try await store.removeExpired() }
            }
            return try await group.reduce(0, +)
        }
        #expect(count == 100)
        #expect(try await store.payload(kept, of: Self.alice)?.text == "kept")
        #expect(scene.container.read("other") != nil)
    }

    @Test func `does not delete a payload that was replaced after it was listed`() async throws {
        let scene = try BlobScene()
        let probe = try PayloadProbe(scene)
        let id = SecurePayload.ID.random()
        #expect(try await probe.put(PayloadBlob(text: "old", expiry: 1), id, of: Self.alice, entityTag: nil))
        let tag = try #require(try await probe.blob(id, of: Self.alice)?.entityTag)
        #expect(try await probe.put(PayloadBlob(text: "new", expiry: .max), id, of: Self.alice, entityTag: tag))
        #expect(try await !probe.delete(id, of: Self.alice, entityTag: tag))
        #expect(try await scene.store().payload(id, of: Self.alice)?.text == "new")
    }

    // MARK: Errors

    @Test func `names the reason if the service rejects requests`() async throws {
        let scene = try BlobScene()
        let fields = scene.emulator.storageConnectionString
        let wrongKey = fields.replacing(/AccountKey=[^;]*/, with: "AccountKey=c2VjcmV0IG9mIGFub3RoZXI=")
        let cases: [(BlobPayloadStore.Container, BlobPayloadStoreError.Code, String)] = [
            (try .init(connectionString: wrongKey, named: "payloads"), .accessDenied, "AuthenticationFailed"),
            (try .init(connectionString: fields, named: "missing"), .containerNotFound, "ContainerNotFound"),
        ]
        for (container, code, serviceCode) in cases {
            let store = try scene.store(container)
            await #expect { _ = try await store.insert(Self.payload()) } throws: { error in
                let error = error as? BlobPayloadStoreError
                return error?.code == code && error?.serviceCode == serviceCode
                    && error.map { !everythingPrinted(of: $0).contains("secret") } == true
            }
        }
    }

    @Test(arguments: ["", "{}", #"{"payload":1,"devices":{}}"#, #"{"payload":"x","devices":["a"]}"#, "\u{ff}"])
    func `rejects a blob in another format`(content: String) async throws {
        let scene = try BlobScene()
        let store = try scene.store()
        let id = try await store.insert(Self.payload())
        let name = try #require(try await scene.blobs().first?.name)
        try scene.container.write(content.utf8, to: name)
        await #expect { _ = try await store.payload(id, of: Self.alice) } throws: {
            ($0 as? BlobPayloadStoreError)?.code == .invalidResponse
        }
    }

    // MARK: Credentials

    @Test func `uses a container's URL with a signature`() async throws {
        let scene = try BlobScene()
        let store = try scene.store(.init(scene.container.url), countPerUser: 10)
        let id = try await store.insert(Self.payload())
        #expect(try await store.payload(id, of: Self.alice)?.text == "secret")
        #expect(try await store.removeExpired() == 0)
        try await store.remove(id, of: Self.alice)
        #expect(try await scene.blobs().isEmpty)
    }

    @Test func `omits credentials from descriptions`() throws {
        let scene = try BlobScene()
        let key = "c2VjcmV0IG9mIHRoZSBhY2NvdW50"
        let signature = try #require(scene.container.url.query.split(separator: "=").last.map(String.init))
        let containers: [BlobPayloadStore.Container] = [
            try .init(connectionString: "AccountName=contoso;AccountKey=\(key)", named: "payloads"),
            .init(scene.container.url),
        ]
        for container in containers {
            for text in [
                everythingPrinted(of: container), everythingPrinted(of: container.authorization),
                everythingPrinted(of: try scene.store(container)),
            ] {
                #expect(!text.contains(key) && !text.contains(signature))
            }
        }
    }
}

/// The requests of a store, for tests that need entity tags.
private struct PayloadProbe {
    private let blobs: PayloadContainer

    init(_ scene: BlobScene) throws {
        blobs = PayloadContainer(
            container: try .init(connectionString: scene.emulator.storageConnectionString, named: "payloads"),
            client: StorageClient(
                transport: scene, options: .patient(),
                time: CallTime(
                    elapsed: { .zero }, sleep: { _ in }, random: { 0 },
                    now: { Int64(BackendScene.start.timeIntervalSince1970) })),
            pageSize: PayloadBlobPage.defaultSize)
    }

    func blob(
        _ id: SecurePayload.ID, of user: AppBackend.User
    ) async throws -> (blob: PayloadBlob, entityTag: String)? {
        try await blobs.blob(PayloadBlobName(id, of: user))
    }

    /// - Parameter tag: The entity tag that the blob must have; `nil` if it must not exist.
    func put(
        _ blob: PayloadBlob, _ id: SecurePayload.ID, of user: AppBackend.User, entityTag tag: String?
    ) async throws -> Bool {
        try await blobs.put(
            blob, PayloadBlobName(id, of: user), if: tag.map { .matches($0) } ?? .isNew, as: "test")
    }

    func delete(_ id: SecurePayload.ID, of user: AppBackend.User, entityTag: String) async throws -> Bool {
        try await blobs.delete(PayloadBlobName(id, of: user), entityTag: entityTag, as: "test")
    }
}

/// The lifecycle rule in the article "Several machines".
@Suite struct LifecycleRuleTests {
    @Test func `deletes only payloads that have expired`() throws {
        struct Policy: Decodable {
            struct Rule: Decodable {
                struct Definition: Decodable {
                    struct Filters: Decodable {
                        let blobTypes: [String]
                        let prefixMatch: [String]
                    }
                    struct Actions: Decodable { let baseBlob: [String: [String: Int]] }
                    let filters: Filters
                    let actions: Actions
                }
                let enabled: Bool
                let type: String
                let definition: Definition
            }
            let rules: [Rule]
        }
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let article = try String(
            contentsOf: root.appending(path: "Sources/PushBackend/PushBackend.docc/SeveralMachines.md"), encoding: .utf8
        )
        let json = try #require(article.split(separator: "```json\n").last?.split(separator: "```").first)
        let rule = try #require(try JSONDecoder().decode(Policy.self, from: Data(json.utf8)).rules.first)
        #expect(rule.enabled && rule.type == "Lifecycle")
        #expect(rule.definition.filters.blobTypes == ["blockBlob"])
        #expect(rule.definition.filters.prefixMatch == ["payloads/"])
        let days = try #require(rule.definition.actions.baseBlob["delete"]?["daysAfterModificationGreaterThan"])
        #expect(days > 1, "the default lifetime is one day")
    }
}

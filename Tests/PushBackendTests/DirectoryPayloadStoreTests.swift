import Foundation
@testable import PushBackend
import Testing

@Suite struct DirectoryPayloadStoreTests {
    private static let alice = AppBackend.User(name: "alice")

    /// A path where nothing is yet.
    private struct Place: ~Copyable {
        let url = FileManager.default.temporaryDirectory.appending(path: "payloads-\(UUID().uuidString)")
        var path: String { url.path }

        deinit { try? FileManager.default.removeItem(at: url) }

        var names: [String] { get throws { try FileManager.default.contentsOfDirectory(atPath: path).sorted() } }

        func permissions(_ name: String) throws -> Int? {
            try FileManager.default.attributesOfItem(atPath: url.appending(path: name).path)[.posixPermissions] as? Int
        }
    }

    private static func payload(_ text: String = "open sesame", lifetime: TimeInterval = 60) -> SecurePayload {
        SecurePayload(text: text, user: alice, expiry: BackendScene.start + lifetime)
    }

    private static func open(
        _ path: String, after seconds: TimeInterval = 0, limits: SecurePayloadLimits = SecurePayloadLimits()
    ) throws -> DirectoryPayloadStore {
        try DirectoryPayloadStore(path: path, limits: limits, now: { BackendScene.start + seconds })
    }

    @Test func `payloads and devices survive the store`() async throws {
        let place = Place()
        let id = try await { () async throws in
            let store = try Self.open(place.path)
            let id = try await store.insert(Self.payload())
            #expect(try await store.claim(id, of: Self.alice, by: "phone"))
            return id
        }()
        let store = try Self.open(place.path)
        #expect(try await store.payload(id, of: Self.alice)?.text == "open sesame")
        #expect(try await !store.claim(id, of: Self.alice, by: "phone"))
        #expect(try await store.claim(id, of: Self.alice, by: "tablet"))
    }

    @Test func `there is one file a payload, for its owner alone, and its name says nothing of the user`() async throws
    {
        let place = Place()
        let store = try Self.open(place.path)
        let id = try await store.insert(Self.payload())
        #expect(try await store.claim(id, of: Self.alice, by: "phone"))
        let names = try place.names
        try #require(names.count == 1)
        #expect(names[0].contains(id.text) && !names[0].contains("alice"))
        #expect(try place.permissions(names[0]) == 0o600)
        #expect(try place.permissions("") == 0o700)
    }

    @Test func `limits hold for what was there before`() async throws {
        let place = Place()
        _ = try await Self.open(place.path).insert(Self.payload())
        let store = try Self.open(place.path, limits: .init(countPerUser: 1))
        await #expect(throws: SecurePayloadLimit.ofUser) { try await store.insert(Self.payload()) }
    }

    @Test func `what has ended is deleted when the directory is opened, and when another payload comes`() async throws {
        let place = Place()
        _ = try await Self.open(place.path).insert(Self.payload(lifetime: 10))
        #expect(try place.names.count == 1)
        _ = try Self.open(place.path, after: 10)
        #expect(try place.names.isEmpty)
    }

    @Test func `a draft that was left is deleted, and what is not the store's is left alone`() async throws {
        let place = Place()
        let id = try await Self.open(place.path).insert(Self.payload())
        let name = try place.names[0]
        for other in [name + ".new", "README", "x.new", "a.b.c"] {
            try Data("half".utf8).write(to: place.url.appending(path: other))
        }
        let store = try Self.open(place.path)
        #expect(try place.names == ["README", "a.b.c", "x.new", name].sorted())
        #expect(try await store.payload(id, of: Self.alice)?.text == "open sesame")
    }

    @Test(arguments: ["", "{", #"{"payload":"open"#, #"{"payload":"open sesame"}"#, "\u{fffe}"])
    func `a file that is not as it was written is not served`(content: String) async throws {
        let place = Place()
        let store = try Self.open(place.path)
        let id = try await store.insert(Self.payload())
        try Data(content.utf8).write(to: place.url.appending(path: try place.names[0]))
        await #expect(throws: DirectoryPayloadStore.Failure.damaged) { try await store.payload(id, of: Self.alice) }
    }

    @Test func `a payload that cannot be written is not there`() async throws {
        let place = Place()
        let store = try Self.open(place.path)
        try FileManager.default.removeItem(at: place.url)
        await #expect(throws: DirectoryPayloadStore.Failure.self) { try await store.insert(Self.payload()) }
    }

    @Test func `of two stores, one gets the directory`() async throws {
        let place = Place()
        let store = try Self.open(place.path)
        #expect(throws: DirectoryPayloadStore.Failure.inUse) { try Self.open(place.path) }
        _ = try await store.insert(Self.payload())
    }

    @Test func `a directory that others may enter is refused`() throws {
        let place = Place()
        try FileManager.default.createDirectory(
            at: place.url, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o750])
        #expect(throws: DirectoryPayloadStore.Failure.openToOthers) { try Self.open(place.path) }
    }

    @Test(arguments: ["", "/nowhere/at/all", "/dev/null", "a\0b"])
    func `a path that is no directory is refused`(path: String) {
        #expect(throws: DirectoryPayloadStore.Failure.self) { try Self.open(path) }
    }
}

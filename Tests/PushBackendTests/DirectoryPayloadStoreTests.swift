import Foundation
import HubLock
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
        #expect(names[0].contains(id.rawValue) && !names[0].contains("alice"))
        #expect(try place.permissions(names[0]) == 0o600)
        #expect(try place.permissions("") == 0o700)
    }

    @Test func `limits hold for what was there before`() async throws {
        let place = Place()
        _ = try await Self.open(place.path).insert(Self.payload())
        let store = try Self.open(place.path, limits: .init(countPerUser: 1))
        await #expect(throws: SecurePayloadStoreError.userLimitReached(until: BackendScene.start + 60)) {
            try await store.insert(Self.payload())
        }
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
        await #expect(throws: DirectoryPayloadStoreError.damaged) { try await store.payload(id, of: Self.alice) }
    }

    @Test func `a payload that cannot be written is not there`() async throws {
        let place = Place()
        let store = try Self.open(place.path)
        try FileManager.default.removeItem(at: place.url)
        await #expect(throws: DirectoryPayloadStoreError.self) { try await store.insert(Self.payload()) }
    }

    @Test(arguments: ["insert", "payload", "claim", "sweep"])
    func `what has ended is deleted when the store is called`(call: String) async throws {
        let place = Place()
        let clock = Locked(BackendScene.start)
        let store = try DirectoryPayloadStore(path: place.path, now: { clock.withLock { $0 } })
        let id = try await store.insert(Self.payload(lifetime: 10))
        let name = try place.names
        clock.withLock { $0 += 10 }
        switch call {
        case "insert": _ = try await store.insert(Self.payload())
        case "payload": #expect(try await store.payload(id, of: Self.alice) == nil)
        case "claim": #expect(try await !store.claim(id, of: Self.alice, by: "phone"))
        default: await store.removeExpired()
        }
        #expect(try !place.names.contains(name[0]))
    }

    @Test func `an ended file that cannot be deleted keeps no other there, and is tried again`() async throws {
        let place = Place()
        let clock = Locked(BackendScene.start)
        let store = try DirectoryPayloadStore(path: place.path, now: { clock.withLock { $0 } })
        for _ in 0..<5 { _ = try await store.insert(Self.payload(lifetime: 10)) }
        // A folder cannot be deleted as a file is.
        let stuck = place.url.appending(path: try place.names[2])
        try FileManager.default.removeItem(at: stuck)
        try FileManager.default.createDirectory(at: stuck, withIntermediateDirectories: false)
        clock.withLock { $0 += 10 }
        _ = try await store.insert(Self.payload(lifetime: 100))
        #expect(try place.names.count == 2)

        try FileManager.default.removeItem(at: stuck)
        try Data().write(to: stuck)
        clock.withLock { $0 += 1 }
        await store.removeExpired()
        #expect(try place.names.count == 1)
    }

    @Test func `a file that is gone is no payload any more`() async throws {
        let place = Place()
        let store = try Self.open(place.path, limits: .init(countPerUser: 1))
        let id = try await store.insert(Self.payload())
        try FileManager.default.removeItem(at: place.url.appending(path: try place.names[0]))
        #expect(try await store.payload(id, of: Self.alice) == nil)
        _ = try await store.insert(Self.payload())
    }

    /// Opening a pipe waits for its other end; a link leads elsewhere.
    @Test(arguments: ["pipe", "link", "folder"], ["", ".new"])
    func `what is no file is left alone, whatever its name`(kind: String, end: String) async throws {
        let place = Place()
        let id = try await Self.open(place.path).insert(Self.payload())
        let other = place.url.appending(path: try place.names[0] + "9" + end)
        switch kind {
        case "pipe": #expect(unsafe mkfifo(other.path, 0o600) == 0)
        case "link": try FileManager.default.createSymbolicLink(atPath: other.path, withDestinationPath: "/etc/passwd")
        default: try FileManager.default.createDirectory(at: other, withIntermediateDirectories: false)
        }
        let store = try Self.open(place.path)
        #expect(try await store.payload(id, of: Self.alice)?.text == "open sesame")
        #expect(try place.names.count == 2)
    }

    @Test func `a payload that has become a pipe is not waited for`() async throws {
        let place = Place()
        let store = try Self.open(place.path)
        let id = try await store.insert(Self.payload())
        let file = place.url.appending(path: try place.names[0])
        try FileManager.default.removeItem(at: file)
        #expect(unsafe mkfifo(file.path, 0o600) == 0)
        await #expect(throws: DirectoryPayloadStoreError.self) { try await store.payload(id, of: Self.alice) }
    }

    @Test(
        arguments: [
            (.infinity, Int64.max), (-.infinity, .min), (.nan, .min), (1e300, .max), (-1e300, .min), (0.5, 1),
            (-0.5, 0),
        ] as [(Double, Int64)])
    func `an end that no file name can have is never, or has been`(seconds: Double, expected: Int64) {
        let expiry = Date(timeIntervalSince1970: seconds)
        let name = PayloadFileName(user: String(repeating: "0", count: 64), id: .random(), expiry: expiry)
        #expect(name.text.hasSuffix(".\(expected)"))
        #expect(PayloadFileName(name.text) != nil)
    }

    @Test(.enabled(if: geteuid() == 0, "root alone gives a folder away"))
    func `a directory of another user is refused`() throws {
        let place = Place()
        try FileManager.default.createDirectory(
            at: place.url, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        #expect(unsafe chown(place.path, 65534, 65534) == 0)
        #expect(throws: DirectoryPayloadStoreError.ofAnother) { try Self.open(place.path) }
    }

    @Test func `of two stores, one gets the directory`() async throws {
        let place = Place()
        let store = try Self.open(place.path)
        #expect(throws: DirectoryPayloadStoreError.inUse) { try Self.open(place.path) }
        _ = try await store.insert(Self.payload())
    }

    @Test func `a directory that others may enter is refused`() throws {
        let place = Place()
        try FileManager.default.createDirectory(
            at: place.url, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o750])
        #expect(throws: DirectoryPayloadStoreError.openToOthers) { try Self.open(place.path) }
    }

    @Test(arguments: ["", "/nowhere/at/all", "/dev/null", "a\0b"])
    func `a path that is no directory is refused`(path: String) {
        #expect(throws: DirectoryPayloadStoreError.self) { try Self.open(path) }
    }
}

import Foundation
import HubLock
@testable import PushBackend
import Testing

@Suite struct DirectoryPayloadStoreTests {
    private static let alice = AppBackend.User(name: "alice")

    /// A path that does not exist yet. The directory is deleted at the end.
    private struct TemporaryPath: ~Copyable {
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

    @Test func `keeps payloads and claims across instances`() async throws {
        let temporary = TemporaryPath()
        let id = try await { () async throws in
            let store = try Self.open(temporary.path)
            let id = try await store.insert(Self.payload())
            #expect(try await store.claim(id, of: Self.alice, by: "phone"))
            return id
        }()
        let store = try Self.open(temporary.path)
        #expect(try await store.payload(id, of: Self.alice)?.text == "open sesame")
        #expect(try await !store.claim(id, of: Self.alice, by: "phone"))
        #expect(try await store.claim(id, of: Self.alice, by: "tablet"))
    }

    @Test func `stores each payload in a private file without the user's name`() async throws {
        let temporary = TemporaryPath()
        let store = try Self.open(temporary.path)
        let id = try await store.insert(Self.payload())
        #expect(try await store.claim(id, of: Self.alice, by: "phone"))
        let names = try temporary.names
        try #require(names.count == 1)
        #expect(names[0].contains(id.rawValue) && !names[0].contains("alice"))
        #expect(try temporary.permissions(names[0]) == 0o600)
        #expect(try temporary.permissions("") == 0o700)
    }

    @Test func `counts existing payloads towards the limits`() async throws {
        let temporary = TemporaryPath()
        _ = try await Self.open(temporary.path).insert(Self.payload())
        let store = try Self.open(temporary.path, limits: .init(countPerUser: 1))
        await #expect(throws: SecurePayloadStoreError.userLimitReached(until: BackendScene.start + 60)) {
            try await store.insert(Self.payload())
        }
    }

    @Test func `deletes expired payloads when the directory is opened`() async throws {
        let temporary = TemporaryPath()
        _ = try await Self.open(temporary.path).insert(Self.payload(lifetime: 10))
        #expect(try temporary.names.count == 1)
        _ = try Self.open(temporary.path, after: 10)
        #expect(try temporary.names.isEmpty)
    }

    @Test func `deletes drafts and keeps other files`() async throws {
        let temporary = TemporaryPath()
        let id = try await Self.open(temporary.path).insert(Self.payload())
        let name = try temporary.names[0]
        for other in [name + ".new", "README", "x.new", "a.b.c"] {
            try Data("half".utf8).write(to: temporary.url.appending(path: other))
        }
        let store = try Self.open(temporary.path)
        #expect(try temporary.names == ["README", "a.b.c", "x.new", name].sorted())
        #expect(try await store.payload(id, of: Self.alice)?.text == "open sesame")
    }

    #if os(Linux)
    @Test func `ignores a file whose name is not UTF-8`() async throws {
        let temporary = TemporaryPath()
        let id = try await Self.open(temporary.path).insert(Self.payload())
        let path = Array(temporary.path.utf8CString.dropLast()) + [0x2f, -1, 0]
        let file = unsafe creat(path, 0o600)
        #expect(file >= 0 && close(file) == 0)
        let store = try Self.open(temporary.path)
        #expect(try await store.payload(id, of: Self.alice)?.text == "open sesame")
    }
    #endif

    @Test(arguments: ["", "{", #"{"payload":"open"#, #"{"payload":"open sesame"}"#, "\u{fffe}"])
    func `throws for a corrupt file`(content: String) async throws {
        let temporary = TemporaryPath()
        let store = try Self.open(temporary.path)
        let id = try await store.insert(Self.payload())
        try Data(content.utf8).write(to: temporary.url.appending(path: try temporary.names[0]))
        await #expect(throws: DirectoryPayloadStoreError.corruptFile) { try await store.payload(id, of: Self.alice) }
    }

    @Test func `throws if a payload cannot be written`() async throws {
        let temporary = TemporaryPath()
        let store = try Self.open(temporary.path)
        try FileManager.default.removeItem(at: temporary.url)
        await #expect(throws: DirectoryPayloadStoreError.self) { try await store.insert(Self.payload()) }
    }

    @Test(arguments: ["insert", "payload", "claim", "removeExpired"])
    func `deletes expired payloads on each call`(call: String) async throws {
        let temporary = TemporaryPath()
        let clock = Locked(BackendScene.start)
        let store = try DirectoryPayloadStore(path: temporary.path, now: { clock.withLock { $0 } })
        let id = try await store.insert(Self.payload(lifetime: 10))
        let name = try temporary.names
        clock.withLock { $0 += 10 }
        switch call {
        case "insert": _ = try await store.insert(Self.payload())
        case "payload": #expect(try await store.payload(id, of: Self.alice) == nil)
        case "claim": #expect(try await !store.claim(id, of: Self.alice, by: "phone"))
        default: await store.removeExpired()
        }
        #expect(try !temporary.names.contains(name[0]))
    }

    @Test func `retries deleting an expired file, and deletes the others`() async throws {
        let temporary = TemporaryPath()
        let clock = Locked(BackendScene.start)
        let store = try DirectoryPayloadStore(path: temporary.path, now: { clock.withLock { $0 } })
        for _ in 0..<5 { _ = try await store.insert(Self.payload(lifetime: 10)) }
        // A directory cannot be deleted like a file.
        let stuck = temporary.url.appending(path: try temporary.names[2])
        try FileManager.default.removeItem(at: stuck)
        try FileManager.default.createDirectory(at: stuck, withIntermediateDirectories: false)
        clock.withLock { $0 += 10 }
        _ = try await store.insert(Self.payload(lifetime: 100))
        #expect(try temporary.names.count == 2)

        try FileManager.default.removeItem(at: stuck)
        try Data().write(to: stuck)
        clock.withLock { $0 += 1 }
        await store.removeExpired()
        #expect(try temporary.names.count == 1)
    }

    @Test func `forgets a payload whose file was deleted`() async throws {
        let temporary = TemporaryPath()
        let store = try Self.open(temporary.path, limits: .init(countPerUser: 1))
        let id = try await store.insert(Self.payload())
        try FileManager.default.removeItem(at: temporary.url.appending(path: try temporary.names[0]))
        #expect(try await store.payload(id, of: Self.alice) == nil)
        _ = try await store.insert(Self.payload())
    }

    /// Opening a pipe waits for its other end, and a link leads outside the directory.
    @Test(arguments: ["pipe", "link", "folder"], ["", ".new"])
    func `ignores pipes, links and directories`(kind: String, suffix: String) async throws {
        let temporary = TemporaryPath()
        let id = try await Self.open(temporary.path).insert(Self.payload())
        let other = temporary.url.appending(path: try temporary.names[0] + "9" + suffix)
        switch kind {
        case "pipe": #expect(unsafe mkfifo(other.path, 0o600) == 0)
        case "link": try FileManager.default.createSymbolicLink(atPath: other.path, withDestinationPath: "/etc/passwd")
        default: try FileManager.default.createDirectory(at: other, withIntermediateDirectories: false)
        }
        let store = try Self.open(temporary.path)
        #expect(try await store.payload(id, of: Self.alice)?.text == "open sesame")
        #expect(try temporary.names.count == 2)
    }

    @Test func `does not wait for a payload that was replaced by a pipe`() async throws {
        let temporary = TemporaryPath()
        let store = try Self.open(temporary.path)
        let id = try await store.insert(Self.payload())
        let file = temporary.url.appending(path: try temporary.names[0])
        try FileManager.default.removeItem(at: file)
        #expect(unsafe mkfifo(file.path, 0o600) == 0)
        await #expect(throws: DirectoryPayloadStoreError.self) { try await store.payload(id, of: Self.alice) }
    }

    @Test(
        arguments: [
            (.infinity, Int64.max), (-.infinity, .min), (.nan, .min), (1e300, .max), (-1e300, .min), (0.5, 1),
            (-0.5, 0),
        ] as [(Double, Int64)])
    func `clamps expiry times in file names`(seconds: Double, expected: Int64) {
        let expiry = Date(timeIntervalSince1970: seconds)
        let name = PayloadFileName(user: String(repeating: "0", count: 64), id: .random(), expiry: expiry)
        #expect(name.text.hasSuffix(".\(expected)"))
        #expect(PayloadFileName(name.text) != nil)
    }

    @Test(.enabled(if: geteuid() == 0, "requires root"))
    func `rejects another user's directory`() throws {
        let temporary = TemporaryPath()
        try FileManager.default.createDirectory(
            at: temporary.url, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        #expect(unsafe chown(temporary.path, 65534, 65534) == 0)
        #expect(throws: DirectoryPayloadStoreError.wrongOwner) { try Self.open(temporary.path) }
    }

    @Test func `rejects a second store for a directory`() async throws {
        let temporary = TemporaryPath()
        let store = try Self.open(temporary.path)
        #expect(throws: DirectoryPayloadStoreError.inUse) { try Self.open(temporary.path) }
        _ = try await store.insert(Self.payload())
    }

    @Test func `rejects a directory that other users can access`() throws {
        let temporary = TemporaryPath()
        try FileManager.default.createDirectory(
            at: temporary.url, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o750])
        #expect(throws: DirectoryPayloadStoreError.accessibleToOthers) { try Self.open(temporary.path) }
    }

    @Test(arguments: ["", "/nowhere/at/all", "/dev/null", "a\0b"])
    func `rejects a path that is not a directory`(path: String) {
        #expect(throws: DirectoryPayloadStoreError.self) { try Self.open(path) }
    }
}

import Foundation
import NotificationHubsHTTP
import PushBackend

/// A crash test of `DirectoryPayloadStore`, and a race of several processes for the payloads of a store.
///
/// `write` stores payloads and prints each one that the store acknowledged, until it is killed. `verify` checks that all files
/// are complete and that no acknowledged payload is missing.
///
///     HubPayloadStoreCheck write DIRECTORY WRITERS
///     HubPayloadStoreCheck verify DIRECTORY < output of write
///     HubPayloadStoreCheck race STORE LOG >> LOG
///     HubPayloadStoreCheck verify-race STORE LOG < LOG
///
/// STORE is a directory, or `blobs` for the container `payloads` of the connection string in `STORAGE`.
@main
enum PayloadStoreCheck {
    static let users = (0..<4).map { AppBackend.User(name: "user \($0)") }

    static func main() async throws {
        let arguments = CommandLine.arguments
        guard arguments.count >= 3 else { exit(2) }
        if arguments[1].hasSuffix("race"), arguments.count == 4 {
            let race = PayloadStoreRace(open: try opener(arguments[2]), log: arguments[3])
            do {
                if arguments[1] == "race" { try await race.run() } else { try await race.verify() }
            } catch {
                fail("\(error)")
            }
            return
        }
        let store = try directory(arguments[2])
        if arguments[1] == "write", let writers = arguments.last.flatMap({ Int($0) }) {
            await withTaskGroup { group in
                for index in users.indices.prefix(writers) {
                    group.addTask { await write(users[index], index, to: store) }
                }
            }
        } else {
            do {
                try await verify(store, arguments[2])
            } catch {
                fail("\(error)")
            }
        }
    }

    static func directory(_ path: String) throws(DirectoryPayloadStoreError) -> DirectoryPayloadStore {
        try DirectoryPayloadStore(
            path: path, limits: .init(count: 1_000_000, byteCount: .max, countPerUser: 1_000_000))
    }

    /// Returns a closure that opens a store.
    static func opener(
        _ name: String
    ) throws -> () async throws -> (any SecurePayloadStore, removeExpired: () async throws -> Void)? {
        guard name == "blobs" else {
            return {
                do throws(DirectoryPayloadStoreError) {
                    let store = try directory(name)
                    return (store, { await store.removeExpired() })
                } catch {
                    if "\(error)".contains("in use") { return nil }
                    throw error
                }
            }
        }
        let connection = ProcessInfo.processInfo.environment["STORAGE"] ?? ""
        let store = BlobPayloadStore(
            container: try .init(connectionString: connection, named: "payloads"), transport: try HubHTTPTransport(),
            countPerUser: nil)
        return { (store, { _ = try await store.removeExpired() }) }
    }

    /// Returns a payload that repeats its number, so that `verify` can rebuild it: 14 bytes to half a megabyte long.
    static func text(_ number: Int) -> String {
        let unit = "\(number) "
        return unit + String(repeating: unit, count: 1 << (number % 17))
    }

    static func write(_ user: AppBackend.User, _ index: Int, to store: DirectoryPayloadStore) async {
        var number = Int.random(in: 100_000..<1_000_000)
        while true {
            number += 1
            do {
                let id = try await store.insert(
                    SecurePayload(text: text(number), user: user, expiry: Date(timeIntervalSinceNow: 86_400)))
                printLine("inserted \(index) \(id) \(number)")
                guard try await store.claim(id, of: user, by: "phone") else { throw CocoaError(.fileReadUnknown) }
                printLine("claimed \(index) \(id) \(number)")
            } catch {
                printLine("failed: \(error)")
                exit(1)
            }
        }
    }

    /// Prints a line in a single unbuffered write.
    static func printLine(_ line: String) {
        FileHandle.standardOutput.write(Data((line + "\n").utf8))
    }

    static func verify(_ store: DirectoryPayloadStore, _ path: String) async throws {
        var acknowledged = 0
        while let line = readLine() {
            let words = line.split(separator: " ").map(String.init)
            guard words.count == 4, let index = Int(words[1]), let id = SecurePayload.ID(words[2]),
                let number = Int(words[3])
            else { fail("unexpected output of write: \(line)") }
            guard let payload = try await store.payload(id, of: users[index]) else { fail("lost: \(line)") }
            guard payload.text == text(number) else { fail("wrong text: \(line)") }
            if words[0] == "claimed", try await store.claim(id, of: users[index], by: "phone") {
                fail("lost claim: \(line)")
            }
            acknowledged += 1
        }
        // There may also be payloads that were not acknowledged, which must be complete.
        let names = try FileManager.default.contentsOfDirectory(atPath: path)
        for name in names {
            let parts = name.split(separator: ".").map(String.init)
            guard parts.count == 3, let id = SecurePayload.ID(parts[1]) else { fail("unexpected file: \(name)") }
            var found = false
            for user in users {
                guard let payload = try await store.payload(id, of: user) else { continue }
                guard let number = payload.text.split(separator: " ").first.flatMap({ Int($0) }),
                    payload.text == text(number)
                else { fail("incomplete: \(name)") }
                found = true
            }
            if !found { fail("file without a payload: \(name)") }
        }
        print("\(acknowledged) acknowledged, \(names.count) files")
    }

    static func fail(_ reason: String) -> Never {
        FileHandle.standardError.write(Data((reason + "\n").utf8))
        exit(1)
    }
}

import NotificationHubsEmulatorServer
import HubServer
import Foundation
import HubLock
import HubTestSupport
import NotificationHubs
import NotificationHubsEmulator
import NotificationHubsTesting
import Testing

@Suite(.timeLimit(.minutes(30))) struct ImportTests {
    private static let ok = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"

    /// Returns lines for a file that is too long for one read.
    private static func longLines(_ count: Int) -> [String] {
        ids(count).map { ImportScene.line($0) + String(repeating: " ", count: 1000) }
    }

    private static func ids(_ count: Int) -> [String] { (1...count).map { "device-\($0)" } }

    @Test func `imports all lines and removes the journal`() async throws {
        let hub = try CountingHub()
        defer { hub.server.stop() }
        let ids = Self.ids(200)
        let scene = try ImportScene(ids.flatMap { [ImportScene.line($0), ""] })
        defer { scene.remove() }
        let outcome = try await scene.run(hub.server.connectionString)
        #expect(outcome.status == 0)
        #expect(outcome.messages == "")
        #expect(outcome.output.hasPrefix("200 put in "))
        #expect(hub.requestCount == 200)
        #expect(hub.emulator.installations.map(\.id.rawValue) == ids.sorted())
        #expect(scene.journal == nil)
        #expect(scene.failures == nil)
    }

    @Test func `imports the elements of an array`() async throws {
        let hub = try CountingHub()
        defer { hub.server.stop() }
        let scene = try ImportScene(["[", ImportScene.line("one") + ",", "7,", ImportScene.line("two"), "]"])
        defer { scene.remove() }
        let outcome = try await scene.run(hub.server.connectionString)
        #expect(outcome.status == 1 && outcome.output.hasPrefix("2 put, 1 failed"))
        #expect(hub.emulator.installations.map(\.id.rawValue) == ["one", "two"])
        #expect(scene.failedNumbers == [2])
    }

    @Test func `writes failures that can be corrected and imported`() async throws {
        let hub = try CountingHub()
        defer { hub.server.stop() }
        let rejected = #"{"installationId":"t","platform":"apns","pushChannel":"00","templates":{"a":{"body":"{"}}}"#
        let long = #"{"installationId":"long","x":"\#(String(repeating: "x", count: 1 << 18))"}"#
        let scene = try ImportScene([
            ImportScene.line("one"), #"{"installationId":"#, "", ImportScene.line("a/b"), rejected, long,
            ImportScene.line("two"),
        ])
        defer { scene.remove() }
        let outcome = try await scene.run(hub.server.connectionString, "--json")
        #expect(outcome.status == 1)
        #expect(
            outcome.messages
                == "nhub: warning: 1 device: template a: the hub will reject the template: the body must be a "
                + "JSON object: correct the template\n")
        #expect(outcome.output.hasPrefix(#"{"ending":"complete","put":2,"failed":4,"#))
        #expect(hub.emulator.installations.map(\.id.rawValue) == ["one", "two"])
        #expect(scene.failedNumbers.sorted() == [2, 4, 5, 6])
        let failures = try #require(scene.failures)
        #expect(
            failures.contains {
                $0.hasPrefix(#"{"line":2,"error":"invalid JSON: "#) && $0.hasSuffix(#"\"installationId\":"}"#)
            })
        #expect(failures.contains { $0.contains("the hub rejected the request: ") && $0.contains(rejected) })
        #expect(failures.contains { $0.contains("longer than 262144 bytes") })
        let file = scene.directory.appending(path: "devices.jsonl.failures.jsonl").path
        let permissions = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions]
        #expect(permissions as? Int == 0o600, "the file contains devices' handles")

        let count = hub.requestCount
        let again = try await scene.run(hub.server.connectionString)
        #expect((again.status, hub.requestCount) == (1, count), "reports the result again")
        #expect(scene.failures == failures)
        try FileManager.default.removeItem(at: scene.directory.appending(path: "devices.jsonl.journal"))
        let other = try await scene.run(hub.server.connectionString)
        #expect(other.status == 2, "the failures belong to another import")
        #expect(other.messages.contains("contains failures of another import"))
        #expect(scene.failures == failures)
        #expect(scene.journal == nil)
        #expect(try await scene.run(hub.server.connectionString, "--overwrite-failures").status == 1)
        #expect(scene.failedNumbers.sorted() == [2, 4, 5, 6])

        try scene.write(failures.map { $0.replacing("a/b", with: "ab").replacing(#""{""#, with: #""{}""#) })
        try FileManager.default.removeItem(at: scene.directory.appending(path: "devices.jsonl.failures.jsonl"))
        #expect(try await scene.run(hub.server.connectionString).status == 1)
        #expect(hub.emulator.installations.map(\.id.rawValue) == ["ab", "one", "t", "two"])
        #expect(scene.failedNumbers.count == 2)
    }

    @Test(arguments: ["429 Too Many Requests", "403 Forbidden", "503 Busy"])
    func `pauses all calls for the duration that the hub specifies`(status: String) async throws {
        let times = Locked<[ContinuousClock.Instant]>([])
        let server = try RawServer { _ in
            let count = times.withLock {
                $0.append(.now)
                return $0.count
            }
            return (21...23).contains(count)
                ? "HTTP/1.1 \(status)\r\nRetry-After: 2\r\nContent-Length: 0\r\n\r\n" : Self.ok
        }
        defer { server.stop() }
        let scene = try ImportScene(Self.ids(60).map { ImportScene.line($0) })
        defer { scene.remove() }
        let outcome = try await scene.run(ImportScene.connectionString(port: server.port), "--concurrency", "4")
        #expect(outcome.status == 0)
        #expect(outcome.output.hasPrefix("60 put"))
        let requestTimes = times.withLock { $0 }
        #expect(requestTimes.count == 63)
        // Calls in flight complete, but no call for the remaining lines (about forty) starts during the pause.
        #expect(requestTimes.dropFirst(21).count { $0 < requestTimes[20] + .seconds(2) } <= 10)
    }

    @Test func `retries transient errors`() async throws {
        let attempts = Locked<[String: Int]>([:])
        let server = try RawServer { request in
            let count = attempts.withLock {
                $0[request.path, default: 0] += 1
                return $0[request.path, default: 0]
            }
            if request.path.hasSuffix("device-7") {
                return count > 1 ? Self.ok : "HTTP/1.1 500 No\r\nContent-Length: 0\r\n\r\n"
            }
            return request.path.hasSuffix("device-9") && count == 1 ? nil : Self.ok
        }
        defer { server.stop() }
        let scene = try ImportScene(Self.ids(20).map { ImportScene.line($0) })
        defer { scene.remove() }
        #expect(try await scene.run(ImportScene.connectionString(port: server.port)).status == 0)
        #expect(server.requests.count == 22)
        #expect(scene.failures == nil)
    }

    @Test func `sends lines with the same ID in order`() async throws {
        let order = Locked<[String: [Int]]>([:])
        let inFlight = Locked<[String: Int]>([:])
        let overlaps = Locked(0)
        let server = try RawServer { request in
            let path = request.path.lowercased()
            let number = String(decoding: request.body, as: UTF8.self).split(separator: "v-").last
                .flatMap { Int($0.prefix { $0.isNumber }) }
            let isFirst = order.withLock { order in
                defer { order[path, default: []].append(number ?? -1) }
                return order[path, default: []].isEmpty
            }
            let count = inFlight.withLock {
                $0[path, default: 0] += 1
                return $0[path, default: 0]
            }
            if count > 1 { overlaps.withLock { $0 += 1 } }
            Thread.sleep(forTimeInterval: 0.005)
            inFlight.withLock { $0[path, default: 0] -= 1 }
            return isFirst ? "HTTP/1.1 500 No\r\nContent-Length: 0\r\n\r\n" : Self.ok
        }
        defer { server.stop() }
        let ids = (1...60).map { ["A", "b", "a", "B", "c"][$0 % 5] }
        let scene = try ImportScene(ids.enumerated().map { ImportScene.line($1, tag: "v-\($0)") })
        defer { scene.remove() }
        #expect(try await scene.run(ImportScene.connectionString(port: server.port)).status == 0)
        let seen = order.withLock { $0 }
        #expect(seen.count == 3)
        #expect(seen.values.allSatisfy { $0 == $0.sorted() })
        #expect(seen.values.map(\.count).reduce(0, +) == 63)
        #expect(overlaps.withLock { $0 } == 0)
    }

    @Test func `sends the given number of concurrent requests`() async throws {
        let count = Locked(0)
        let wasLimited = Locked(false)
        let server = try RawServer { _ in
            count.withLock { $0 += 1 }
            let end = ContinuousClock.now + .seconds(100)
            while count.withLock({ $0 }) < 80, .now < end { Thread.sleep(forTimeInterval: 0.01) }
            if count.withLock({ $0 }) < 80 { wasLimited.withLock { $0 = true } }
            return Self.ok
        }
        defer { server.stop() }
        let scene = try ImportScene(Self.ids(80).map { ImportScene.line($0) })
        defer { scene.remove() }
        let outcome = try await scene.run(ImportScene.connectionString(port: server.port), "--concurrency", "80")
        #expect(outcome.status == 0)
        #expect(!wasLimited.withLock { $0 })
    }

    // MARK: Stopping

    @Test(arguments: [("other", 0, "no such hub: "), ("push", 1, "the hub rejected the token: ")])
    func `stops immediately if no line can be imported`(hubName: String, key: Int, message: String) async throws {
        let hub = try CountingHub()
        defer { hub.server.stop() }
        let scene = try ImportScene(Self.ids(300).map { ImportScene.line($0) })
        defer { scene.remove() }
        let connection =
            key == 0
            ? hub.server.connectionString
            : hub.server.connectionString.replacing("SharedAccessKey=", with: "SharedAccessKey=x")
        let outcome = try await scene.run(connection, hubName: hubName, "--concurrency", "4")
        #expect(outcome.status == 1)
        #expect(outcome.messages.contains(message))
        #expect(outcome.messages.contains("run the same command to resume"))
        #expect(outcome.output.hasPrefix("0 put"))
        #expect(hub.requestCount <= 8, "one more attempt each with a new token")
        #expect(scene.failures == nil)
        #expect(try await scene.run(hub.server.connectionString).status == (key == 0 ? 2 : 0))
    }

    @Test func `stops when the hub is unreachable, and resumes when it is reachable again`() async throws {
        let port = try ReservedPort()
        let hub = try CountingHub(port: port.number)
        let connection = hub.server.connectionString
        hub.server.stop()
        let scene = try ImportScene(Self.ids(30).map { ImportScene.line($0) })
        defer { scene.remove() }
        let outcome = try await scene.run(connection)
        #expect(outcome.status == 1)
        #expect(outcome.messages.contains("the connection failed: "))
        #expect(scene.journal?.count == 1)

        let server = try HubEmulator.Server(hub.emulator, port: port.number)
        defer { server.stop() }
        #expect(try await scene.run(connection).status == 0)
        #expect(hub.emulator.installations.count == 30)
    }

    @Test func `does not complete if the input is truncated during the import`() async throws {
        let scene = try ImportScene(Self.longLines(300))
        defer { scene.remove() }
        let input = scene.input
        let server = try RawServer { _ in
            try? FileHandle(forWritingTo: input).truncate(atOffset: 0)
            return Self.ok
        }
        defer { server.stop() }
        let outcome = try await scene.run(ImportScene.connectionString(port: server.port))
        #expect(outcome.status == 3)
        #expect(outcome.messages == "nhub: cannot read the input: the file has changed since the import began\n")
        #expect(scene.journal != nil)
    }

    @Test(arguments: ["changed", "longer"])
    func `does not complete if the input changes during the import`(how: String) async throws {
        let scene = try ImportScene(Self.longLines(300))
        defer { scene.remove() }
        let input = scene.input
        let server = try RawServer { _ in
            let file = try? FileHandle(forWritingTo: input)
            let end = try? file?.seekToEnd()
            if how == "changed" { try? file?.seek(toOffset: (end ?? 0) - 2) }
            try? file?.write(contentsOf: Data("x\n".utf8))
            return Self.ok
        }
        defer { server.stop() }
        let outcome = try await scene.run(ImportScene.connectionString(port: server.port))
        #expect(outcome.status == 3)
        #expect(outcome.messages == "nhub: cannot read the input: the file has changed since the import began\n")
    }

    @Test(arguments: [
        ([], "missing file: pass a file, or - for standard input"),
        (["a", "b"], "only one file can be imported at a time"),
        (["a", "--concurrency", "0"], "from 1 to 256"), (["a", "--concurrency=257"], "from 1 to 256"),
        (["-", "--journal", "x"], "--journal requires a file"), (["a", "--journal", "a"], "must be different files"),
        (["a", "--failures=a.journal"], "must be different files"), (["/"], "the input is not a regular file"),
        (["a", "--bogus"], "unknown option"), (["a", "--failures", "--ca-file", "b"], "--failures requires a value"),
    ])
    func `rejects an invalid command line`(words: [String], message: String) async throws {
        let outcome = try await BuiltProgram(product: "nhub").run(["import"] + words)
        #expect(outcome.status == 2)
        #expect(outcome.output.isEmpty)
        #expect(outcome.messages.contains(message))
        #expect(outcome.messages.split(separator: "\n").count == 1)
    }

    @Test(arguments: ["--failures", "--journal"], [#""$1""#, "link", "\"./${1##*/}\""])
    func `rejects another path of the input`(option: String, path: String) async throws {
        let scene = try ImportScene([ImportScene.line("a")])
        defer { scene.remove() }
        let input = try BuiltProgram.text(of: scene.input)
        let outcome = try await scene.shell(
            "cd \"${1%/*}\" && ln \"$1\" link && \"$0\" import \"$1\" --overwrite-failures \(option) \(path)",
            ImportScene.connectionString(port: 1))
        #expect(outcome.status == 2)
        #expect(outcome.messages.contains("must be different files"))
        #expect(try BuiltProgram.text(of: scene.input) == input)
    }

    @Test func `rejects standard input from the failure file`() async throws {
        let scene = try ImportScene([ImportScene.line("a")])
        defer { scene.remove() }
        let input = try BuiltProgram.text(of: scene.input)
        let outcome = try await scene.shell(
            #""$0" import - --overwrite-failures --failures "$1" < "$1""#, ImportScene.connectionString(port: 1))
        #expect(outcome.status == 2)
        #expect(outcome.messages.contains("must be different files"))
        #expect(try BuiltProgram.text(of: scene.input) == input)
    }

    @Test(arguments: ["--failures", "--journal"])
    func `rejects files that are not regular files`(option: String) async throws {
        let hub = try CountingHub()
        defer { hub.server.stop() }
        let scene = try ImportScene([ImportScene.line("a")])
        defer { scene.remove() }
        let outcome = try await scene.run(hub.server.connectionString, option, "/dev/null")
        #expect(outcome.status == 3)
        #expect(outcome.messages.contains("not a regular file"))
        #expect(hub.requestCount == 0)
        #expect(scene.journal == nil)
    }

    @Test func `exits with 3 for a missing file`() async throws {
        let outcome = try await BuiltProgram(product: "nhub").run("import", "/nowhere/devices.jsonl")
        #expect(outcome.status == 3)
        #expect(outcome.messages == "nhub: cannot read the input /nowhere/devices.jsonl: No such file or directory\n")
    }

    // MARK: Standard input and terminals

    @Test func `imports standard input`() async throws {
        let hub = try CountingHub()
        defer { hub.server.stop() }
        let scene = try ImportScene([ImportScene.line("a"), "x", ImportScene.line("b")])
        defer { scene.remove() }
        let outcome = try await scene.shell(#"cat "$1" | "$0" import -"#, hub.server.connectionString)
        #expect(outcome.status == 1)
        #expect(outcome.output.hasPrefix("2 put, 1 failed"))
        #expect(scene.lines(of: "stdin.failures.jsonl")?.count == 1)
        #expect(hub.emulator.installations.count == 2)
    }

    @Test func `handles a signal while it waits for standard input`() async throws {
        let scene = try ImportScene([ImportScene.line("a"), ImportScene.line("rejected")])
        defer { scene.remove() }
        let server = try RawServer {
            $0.path.hasSuffix("rejected") ? "HTTP/1.1 400 No\r\nContent-Length: 0\r\n\r\n" : Self.ok
        }
        defer { server.stop() }
        // The second line's failure is written after both lines are finished.
        let outcome = try await scene.shell(
            """
            mkfifo pipe; exec 3<>pipe; cat "$1" >&3
            "$0" import - --concurrency 1 <pipe 3>&- >output & tool=$!
            while [ ! -s stdin.failures.jsonl ]; do sleep 0.01; done
            kill -TERM $tool
            tries=0; while [ ! -s output ] && [ $tries -lt 6000 ]; do sleep 0.01; tries=$((tries + 1)); done
            cat output; exec 3>&-; wait $tool
            """, ImportScene.connectionString(port: server.port))
        #expect(outcome.status == 143)
        #expect(outcome.output.hasPrefix("1 put, 1 failed"))
        #expect(outcome.messages == "nhub: interrupted; an import from standard input cannot be resumed\n")
    }

    @Test func `continues after a hangup signal that is ignored`() async throws {
        let scene = try ImportScene(Self.ids(20).map { ImportScene.line($0) })
        defer { scene.remove() }
        let requestedPath = scene.input.path + ".requested"
        let respondPath = scene.input.path + ".respond"
        let server = try RawServer { _ in
            _ = FileManager.default.createFile(atPath: requestedPath, contents: nil)
            while !FileManager.default.fileExists(atPath: respondPath) { Thread.sleep(forTimeInterval: 0.01) }
            return Self.ok
        }
        defer { server.stop() }
        let outcome = try await scene.shell(
            """
            trap '' HUP; "$0" import "$1" & tool=$!
            while [ ! -e "$1.requested" ]; do sleep 0.01; done
            kill -HUP $tool; touch "$1.respond"; wait $tool
            """, ImportScene.connectionString(port: server.port))
        #expect(outcome.status == 0)
        #expect(server.requests.count == 20)
    }

    @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/script")))
    func `shows progress on a terminal`() async throws {
        let server = try RawServer { _ in
            Thread.sleep(forTimeInterval: 0.05)
            return Self.ok
        }
        defer { server.stop() }
        let scene = try ImportScene(Self.ids(40).map { ImportScene.line($0) })
        defer { scene.remove() }
        let outcome = try await scene.shell(
            #"script -qec "'$0' import '$1' --concurrency 1" /dev/null"#,
            ImportScene.connectionString(port: server.port))
        #expect(outcome.output.contains(try Regex(#"\r\[#+\.+\] [0-9]+% [0-9]+/40  [0-9]+/s  [0-9]+:[0-9]+ left"#)))
        #expect(outcome.output.contains("40 put in "))
        #expect(!outcome.output.contains("\u{1b}"))
    }

    @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/script")))
    func `truncates the progress line on a narrow terminal`() async throws {
        let server = try RawServer { _ in
            Thread.sleep(forTimeInterval: 0.05)
            return Self.ok
        }
        defer { server.stop() }
        let scene = try ImportScene(Self.ids(20).map { ImportScene.line($0) })
        defer { scene.remove() }
        let outcome = try await scene.shell(
            #"script -qec "stty cols 24; '$0' import '$1' --concurrency 1" /dev/null"#,
            ImportScene.connectionString(port: server.port))
        let shown = outcome.output.utf8.split(separator: 13).filter { $0.first == UInt8(ascii: "[") }
        #expect(!shown.isEmpty)
        #expect(shown.allSatisfy { $0.count < 24 })
    }
}

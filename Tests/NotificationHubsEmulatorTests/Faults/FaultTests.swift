import NotificationHubs
import SharedAccessSignature
import Testing

@testable import NotificationHubsEmulator

@Suite struct FaultTests {
    typealias Fault = HubEmulator.Fault

    static let texts: [(String, Fault)] = [
        (
            "POST /messages status=429 retry-after=2 rate=0.1",
            Fault(.status(429, retryAfter: .seconds(2)), on: .post, "/messages", when: .rate(0.1))
        ),
        ("/ stall", Fault(.stall)), ("* / stall", Fault(.stall, "/")),
        (
            "get /installations/* reset=before nth=1,3",
            Fault(.resetBefore, on: .get, "/installations/*", when: .calls([1, 3]))
        ),
        ("PUT /x reset=after every=5 hub=push", Fault(.resetAfter, on: .put, "/x", when: .every(5), hubName: "push")),
        ("/x  latency=300ms", Fault(latency: .milliseconds(300), "/x")),
        ("/x status=503 latency=1.5", Fault(.status(503), "/x", latency: .milliseconds(1500))),
    ]

    @Test(arguments: texts)
    func `parses a fault`(text: String, fault: Fault) throws {
        #expect(try Fault(text) == fault)
    }

    @Test(arguments: [
        "", "POST", "messages status=500", "/", "POST /messages", "/ status=99", "/ status=600", "/ status=x",
        "/ status",
        "/ stall reset=before", "/ status=500 stall", "/ reset", "/ reset=now", "/ retry-after=2",
        "/ stall retry-after=2",
        "/ stall rate=2", "/ stall rate=x", "/ stall rate=nan", "/ stall nth=0", "/ stall nth=", "/ stall nth=1,x",
        "/ stall every=0", "/ stall rate=1 nth=1", "/ stall latency=-1s", "/ stall latency=1h", "/ stall latency=1e3",
        "/ stall stall", "/ stall=no", "/ stall other=1", "TRACE / stall", "/ latency=0s", "/ status=500 status=501",
    ])
    func `rejects an invalid fault`(text: String) {
        #expect(throws: Fault.InvalidText.self) { try Fault(text) }
    }

    @Test(arguments: [
        ("/", HubRequest.Method.get, "/push/messages", true), ("/messages", .post, "/push/messages", true),
        ("/messages", .post, "/push/messages/", true), ("/messages", .post, "/push/Messages/NH-1", true),
        ("/messages", .post, "/push/messagesandmore", false), ("/installations/*", .get, "/push/installations", false),
        ("/installations/*", .get, "/push/installations/a", true), ("/*/a", .get, "/push/installations/a", true),
        ("/*/a", .get, "/push/installations/b", false), ("/push", .get, "/push/installations/b", false),
        ("/", .get, "/PUSH/x", true), ("/", .get, "/other/x", false), ("/", .get, "/", false),
    ])
    func `matches requests below its path`(pattern: String, method: HubRequest.Method, path: String, matches: Bool)
        throws
    {
        let hub = try NotificationHub.Name(validating: "push")
        let request = try request(method, path)
        #expect(Fault(.stall, pattern).matches(request, of: hub) == matches)
        #expect(Fault(.stall, on: method, pattern, hubName: "PUSH").matches(request, of: hub) == matches)
        #expect(!Fault(.stall, on: .delete, pattern).matches(request, of: hub))
        #expect(!Fault(.stall, on: method, pattern, hubName: "other").matches(request, of: hub))
    }

    @Test(arguments: [
        (Fault.Occurrence.always, [1, 2, 3, 4, 5, 6]), (.calls([2, 5]), [2, 5]), (.every(3), [3, 6]), (.rate(0), []),
        (.rate(1), [1, 2, 3, 4, 5, 6]), (.every(0), []),
    ])
    func `triggers on the selected requests`(occurrence: Fault.Occurrence, numbers: [Int]) throws {
        let emulator = HubEmulator(hubName: "push")
        emulator.faults = [Fault(.stall, on: .get, when: occurrence)]
        #expect(try triggering(emulator, 6) == numbers)
        #expect(emulator.faultCounts.map(\.matched) == [6])
        #expect(emulator.faultCounts.map(\.triggered) == [numbers.count])
        emulator.faults = emulator.faults
        #expect(try triggering(emulator, 6) == numbers, "setting faults resets the counts")
    }

    @Test func `triggers on the same requests with the same seed, regardless of other requests`() throws {
        let emulator = HubEmulator(hubName: "push")
        func triggering(seed: UInt64, _ faults: [Fault] = []) throws -> [Int] {
            emulator.faults = .init(faults + [Fault(.stall, on: .get, when: .rate(0.3))], seed: seed)
            return try self.triggering(emulator, 1000) {
                if !faults.isEmpty { _ = emulator.fault(for: try request(.put, "/push/x")) }
            }
        }
        let first = try triggering(seed: 7)
        #expect((200...400).contains(first.count))
        #expect(try triggering(seed: 7) == first)
        #expect(try triggering(seed: 8) != first)
        let other = Fault(.stall, on: .put, when: .rate(0.5))
        let between = try triggering(seed: 7, [other])
        emulator.faults = .init([other, Fault(.stall, on: .get, when: .rate(0.3))], seed: 7)
        #expect(try self.triggering(emulator, 1000) == between)
    }

    @Test func `applies the first fault that triggers`() throws {
        let emulator = HubEmulator(hubName: "push")
        emulator.faults = [
            Fault(.status(500), when: .calls([2])), Fault(.status(501), when: .calls([2, 3])),
        ]
        let request = try request(.get, "/push/x")
        let effects = (1...4).map { _ in emulator.fault(for: request)?.effect }
        #expect(effects == [nil, .status(500), .status(501), nil])
        #expect(emulator.faultCounts.map(\.matched) == [4, 4])
        #expect(emulator.faultCounts.map(\.triggered) == [1, 1])
    }

    private func triggering(_ emulator: HubEmulator, _ count: Int, between: () throws -> Void = {}) throws -> [Int] {
        let request = try request(.get, "/push/installations/a")
        return try (1...count).filter { _ in
            try between()
            return emulator.fault(for: request) != nil
        }
    }

    private func request(_ method: HubRequest.Method, _ path: String) throws -> HubRequest {
        HubRequest(
            method, endpoint: try ServiceEndpoint("http://127.0.0.1", isDevelopmentEmulator: true), path: path)
    }
}

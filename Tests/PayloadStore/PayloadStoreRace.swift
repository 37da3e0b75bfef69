import Foundation
import NotificationHubsHTTP
import PushBackend

/// A race of several processes for the same payloads.
///
/// Each process appends its events to a log, from which the others take their payloads. Events are written before an operation that
/// can be killed (`removing`) and after one that was acknowledged (`inserted`, `claimed`, `removed`).
struct PayloadStoreRace {
    /// A store, or `nil` while another process uses the directory.
    let open: () async throws -> (any SecurePayloadStore, removeExpired: () async throws -> Void)?
    /// The path of the log, to which standard output is appended.
    let log: String

    /// A line of the log.
    struct Event {
        let kind: String
        let user: AppBackend.User
        let id: SecurePayload.ID
        let number: Int
        /// The seconds since 1970.
        let expiry: Int

        init(_ line: Substring) {
            let words = line.split(separator: " ").map(String.init)
            guard words.count == 5, let index = Int(words[1]), let id = SecurePayload.ID(words[2]),
                let number = Int(words[3]), let expiry = Int(words[4])
            else { PayloadStoreCheck.fail("unexpected event: \(line)") }
            kind = words[0]
            (user, self.id) = (PayloadStoreCheck.users[index], id)
            (self.number, self.expiry) = (number, expiry)
        }

        var words: String { "\(PayloadStoreCheck.users.firstIndex(of: user) ?? 0) \(id) \(number) \(expiry)" }
    }

    /// Runs operations on random payloads until the process is killed.
    func run() async throws {
        while true {
            guard let (store, removeExpired) = try await open() else {
                try await Task.sleep(for: .milliseconds(1))
                continue
            }
            for _ in 0..<20 {
                try await insert(to: store)
                for event in recentEvents(100).shuffled().prefix(4) { try await act(on: event, in: store) }
                if Int.random(in: 0..<4) == 0 { try await removeExpired() }
            }
        }
    }

    private func insert(to store: any SecurePayloadStore) async throws {
        let index = Int.random(in: 0..<PayloadStoreCheck.users.count)
        // At most 8 KB, because the emulator keeps all blobs in memory.
        let number = 17 * Int.random(in: 10_000..<50_000) + Int.random(in: 0...10)
        // Half of the payloads expire during the race.
        let expiry = Int(Date().timeIntervalSince1970) + (Bool.random() ? 2 : 86_400)
        let id = try await store.insert(
            SecurePayload(
                text: PayloadStoreCheck.text(number), user: PayloadStoreCheck.users[index],
                expiry: Date(timeIntervalSince1970: Double(expiry))))
        PayloadStoreCheck.printLine("inserted \(index) \(id) \(number) \(expiry)")
    }

    private func act(on event: Event, in store: any SecurePayloadStore) async throws {
        switch Int.random(in: 0..<8) {
        case 0:
            PayloadStoreCheck.printLine("removing \(event.words)")
            try await store.remove(event.id, of: event.user)
            PayloadStoreCheck.printLine("removed \(event.words)")
        case 1...3:
            if try await store.claim(event.id, of: event.user, by: "phone") {
                PayloadStoreCheck.printLine("claimed \(event.words)")
            }
        default:
            guard let payload = try await store.payload(event.id, of: event.user) else { return }
            // A payload is complete, or not found.
            guard payload.text == PayloadStoreCheck.text(event.number) else {
                PayloadStoreCheck.fail("wrong text: \(event.words)")
            }
        }
    }

    private func recentEvents(_ count: Int) -> [Event] {
        let bytes = (try? Data(contentsOf: URL(filePath: log))) ?? Data()
        // The last line can be incomplete.
        return String(decoding: bytes.suffix(8000), as: UTF8.self).split(separator: "\n").dropFirst().dropLast()
            .suffix(count).map(Event.init).filter { $0.kind == "inserted" }
    }

    /// Checks the state after a race, and prints the numbers of its events.
    func verify() async throws {
        var events: [Event] = []
        while let line = readLine() { events.append(Event(line[...])) }
        guard let (store, removeExpired) = try await open() else { PayloadStoreCheck.fail("the directory is in use") }
        try await removeExpired()
        let removing = Set(events.filter { $0.kind == "removing" }.map(\.id))
        let removed = Set(events.filter { $0.kind == "removed" }.map(\.id))
        let claimed = events.filter { $0.kind == "claimed" }.map(\.id)
        guard claimed.count == Set(claimed).count else { PayloadStoreCheck.fail("two claims of a payload succeeded") }
        var (live, expired) = (0, 0)
        for event in events where event.kind == "inserted" {
            let text = try await store.payload(event.id, of: event.user)?.text
            let isExpired = Double(event.expiry) <= Date().timeIntervalSince1970
            guard text == nil || text == PayloadStoreCheck.text(event.number) else {
                PayloadStoreCheck.fail("wrong text: \(event.words)")
            }
            if text != nil, isExpired || removed.contains(event.id) {
                PayloadStoreCheck.fail("expired or removed, but found: \(event.words)")
            }
            if text == nil, !isExpired, !removing.contains(event.id) { PayloadStoreCheck.fail("lost: \(event.words)") }
            live += text == nil ? 0 : 1
            expired += isExpired ? 1 : 0
        }
        print(
            "\(events.count) events, \(live) live, \(expired) expired, "
                + "\(removed.count) removed, \(claimed.count) claimed")
    }
}

import Foundation
import NotificationHubs

/// Sends messages or puts installations with one transport, and measures the calls.
///
/// The arguments have the form `NAME=VALUE`: `transport`, `case` (`messages` or `puts`), `connection` (a connection string), `ca`
/// (a PEM file), `count`, `warm-up`, `callers` and `connections`. The output is one line: calls per second, CPU time per call in
/// microseconds, p50 and p99 in microseconds, and the growth of allocated memory during the measured calls in bytes.
@main
struct Comparison {
    let settings: [String: String]

    static func main() async throws {
        let pairs = CommandLine.arguments.dropFirst().map { word in
            let parts = word.split(separator: "=", maxSplits: 1).map(String.init)
            return (parts[0], parts.count > 1 ? parts[1] : "")
        }
        do {
            try await Comparison(settings: Dictionary(uniqueKeysWithValues: pairs)).run()
        } catch {
            FileHandle.standardError.write(Data("TransportComparison: \(error)\n".utf8))
            exit(1)
        }
    }

    func run() async throws {
        let transport = try makeTransport(
            settings["transport"] ?? "", connections: number("connections") ?? 64,
            certificateAuthorityFile: settings["ca"])
        let hub = try NotificationHub(
            connectionString: settings["connection"] ?? "", hubName: "push", transport: transport,
            options: .init(retry: .never, attemptTimeout: .seconds(120)))
        let call = try Self.call(settings["case"] ?? "", on: hub)
        let (count, callers) = (number("count") ?? 20_000, number("callers") ?? 64)
        _ = try await Self.measure(number("warm-up") ?? 2_000, callers: callers, call)

        let (memory, processorTime) = (Self.allocatedByteCount, Self.processorTime)
        let clock = ContinuousClock()
        let start = clock.now
        let latencies = try await Self.measure(count, callers: callers, call)
        let duration = clock.now - start
        let used = Self.processorTime - processorTime
        // Excludes the memory of the latencies.
        let growth = Self.allocatedByteCount - memory - latencies.capacity * MemoryLayout<Duration>.stride
        func percentile(_ percent: Int) -> Double {
            latencies[max(0, (latencies.count * percent + 99) / 100 - 1)] / .microseconds(1)
        }
        print(
            String(
                format: "%.1f %.2f %.1f %.1f %d", Double(count) / (duration / .seconds(1)), used * 1e6 / Double(count),
                percentile(50), percentile(99), growth))
    }

    func number(_ name: String) -> Int? { settings[name].flatMap { Int($0) } }

    /// Returns the function that a caller runs, given the number of the call.
    static func call(_ name: String, on hub: NotificationHub) throws -> @Sendable (Int) async throws -> Void {
        switch name {
        case "messages": return { _ in _ = try await hub.send(.template(["message": "Hello"]), to: .tag("news")) }
        case "puts":
            let devices = try (0..<1000).map { number in
                var device = Installation(
                    id: try Installation.ID(validating: "device-\(number)"),
                    pushChannel: PushChannel(
                        platform: .init(rawValue: "apns"), handle: String(repeating: "AB", count: 32)),
                    tags: ["news"])
                device.templates["alert"] = Installation.Template(body: #"{"aps":{"alert":"$(message)"}}"#)
                return device
            }
            return { try await hub.put(devices[$0 % devices.count]) }
        default: throw UnknownName(description: "unknown case: \(name)")
        }
    }

    /// Makes calls from concurrent callers.
    ///
    /// - Returns: The durations of the calls, in ascending order.
    static func measure(
        _ count: Int, callers: Int, _ call: @escaping @Sendable (Int) async throws -> Void
    ) async throws -> [Duration] {
        try await withThrowingTaskGroup(of: [Duration].self) { group in
            for caller in 0..<callers {
                group.addTask {
                    var latencies: [Duration] = []
                    latencies.reserveCapacity(count / callers + 1)
                    for number in stride(from: caller, to: count, by: callers) {
                        let start = ContinuousClock.now
                        try await call(number)
                        latencies.append(ContinuousClock.now - start)
                    }
                    return latencies
                }
            }
            var all: [Duration] = []
            all.reserveCapacity(count)
            for try await latencies in group { all += latencies }
            return all.sorted()
        }
    }

    /// The CPU time of this process, in seconds.
    static var processorTime: Double {
        var usage = rusage()
        getrusage(0 /* RUSAGE_SELF, whose type differs by platform */, &usage)
        return [usage.ru_utime, usage.ru_stime].reduce(0) { $0 + Double($1.tv_sec) + Double($1.tv_usec) / 1e6 }
    }

    /// The number of allocated bytes, from glibc 2.33's `mallinfo2`.
    ///
    /// Swift's `Glibc` does not import this function. C returns a structure of more than 16 bytes in memory that the caller
    /// provides: `rusage` has 144 bytes, which is enough for the structure's 80.
    static var allocatedByteCount: Int {
        typealias Information = @convention(c) () -> rusage
        guard let function = dlsym(nil, "mallinfo2") else { return 0 }
        return withUnsafeBytes(of: unsafeBitCast(function, to: Information.self)()) { bytes in
            let inHeap = bytes.load(fromByteOffset: 56, as: Int.self)  // uordblks
            let mapped = bytes.load(fromByteOffset: 32, as: Int.self)  // hblkhd
            return inHeap + mapped
        }
    }
}

struct UnknownName: Error, CustomStringConvertible {
    let description: String
}

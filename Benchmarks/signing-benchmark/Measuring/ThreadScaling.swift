import HubBenchmarkSystem
import HubCommandLine

/// A measurement of operations per second on an increasing number of threads that share a key, a signer or a verifier, as in a
/// server.
struct ThreadScaling {
    /// Makes the workload of one thread, with its own messages and tokens.
    private typealias WorkloadFactory = @Sendable () throws -> Workload

    private let options: Options
    private let factories: [WorkloadFactory]

    /// Prepares what the threads share. A forced kernel applies only to the codes.
    init(_ options: Options) throws {
        self.options = options
        let kernels = options.kernels
        let key = CodeWorkloads.key(kernels)
        var factories: [WorkloadFactory] = [{ CodeWorkloads.prepared(kernels, key) }]
        if case .chosen = kernels {
            let signer = TokenWorkloads.signer()
            let server = try TokenWorkloads.server()
            factories += [
                { TokenWorkloads.sign(signer) }, { try TokenWorkloads.verify(server) },
                { try TokenWorkloads.verifyHeader(server) },
            ]
        }
        self.factories = factories
    }

    /// Measures 1, 2, 4 and so on up to `limit` threads and writes a line for each.
    func run(upTo limit: Int) throws {
        if options.format != .json {
            Machine.header.forEach { Console.output($0) }
            Console.output(text: "\n" + row("case", "threads", "op/s", "speedup", "ns/op", "kernel"))
        }
        for factory in factories {
            let workload = try factory()
            var single = 0.0
            for threadCount in Self.threadCounts(upTo: limit) {
                let rate = try bestRate(threadCount, factory)
                if threadCount == 1 { single = rate }
                report(workload, threadCount, rate, rate / single)
            }
        }
    }

    private static func threadCounts(upTo limit: Int) -> [Int] {
        let powers = sequence(first: 1) { $0 * 2 }.prefix { $0 < limit }
        return powers + [limit]
    }

    private func bestRate(_ threadCount: Int, _ factory: WorkloadFactory) throws -> Double {
        var best = 0.0
        for _ in 0..<options.rounds { best = max(best, try Self.rate(threadCount, factory)) }
        return best
    }

    /// Returns the operations per second in one round, summed over the threads.
    private static func rate(_ threadCount: Int, _ factory: WorkloadFactory) throws -> Double {
        // Leave time for all threads to start before the round begins. A thread that starts late has a lower rate.
        let start = ContinuousClock.now.advanced(by: .milliseconds(5))
        return try Processors.run(threadCount) { Result { try rate(of: factory(), from: start) } }
            .reduce(0) { sum, rate in sum + (try rate.get()) }
    }

    /// Returns the operations per second of one thread.
    private static func rate(of workload: Workload, from start: ContinuousClock.Instant) throws -> Double {
        // About 500 operations between two clock readings.
        let lapCount = max(1, 500 / workload.lapLength)
        while ContinuousClock.now < start {}
        var count = 0
        repeat {
            try workload.runChecked(lapCount)
            count += lapCount * workload.lapLength
        } while start.duration(to: .now) < .milliseconds(20)
        return Double(count) / start.duration(to: .now).nanoseconds * 1e9
    }

    private func report(_ workload: Workload, _ threadCount: Int, _ rate: Double, _ scale: Double) {
        let time = (1e9 * Double(threadCount) / rate).formatted(decimals: 1)
        if options.format == .json {
            var line = JSONOutput()
            line.add("case", workload.name)
            line.add("implementation", workload.implementation)
            line.add("kernel", workload.kernel ?? "")
            line.add("ns", literal: time)
            line.add("bytes", Int64(workload.byteCount))
            line.add(Origin.current)
            line.add("allocations", literal: "null")
            line.add("threads", Int64(threadCount))
            line.add("operationsPerSecond", literal: rate.formatted(decimals: 0))
            line.add("scale", literal: scale.formatted(decimals: 3))
            Console.output(String(decoding: line.bytes, as: UTF8.self))
        } else {
            Console.output(
                row(
                    workload.name, "\(threadCount)", rate.grouped, scale.formatted(decimals: 2), time,
                    workload.kernel ?? ""))
        }
    }

    private func row(
        _ name: String, _ threads: String, _ rate: String, _ scale: String, _ time: String, _ kernel: String
    ) -> String {
        name.padded(right: 17) + threads.padded(left: 9) + rate.padded(left: 16) + scale.padded(left: 11)
            + time.padded(left: 9) + "  " + kernel
    }
}

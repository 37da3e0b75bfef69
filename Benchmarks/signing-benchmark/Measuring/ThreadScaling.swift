import HubBenchmarkSystem
import HubCommandLine
import HubCrypto

/// A measurement of signatures per second with one prepared key on an increasing number of threads, as in a server that
/// shares one key.
struct ThreadScaling {
    private let options: Options
    private let workload: Workload

    init(_ options: Options) {
        self.options = options
        workload = CodeWorkloads.prepared(options.kernels)
    }

    /// Measures 1, 2, 4 and so on up to `limit` threads and writes a line for each.
    func run(upTo limit: Int) throws {
        if options.format != .json {
            Machine.header.forEach { Console.output($0) }
            Console.output(text: "\n" + row("threads", "signatures/s", "speedup", "ns/op", "kernel"))
        }
        var single = 0.0
        for threadCount in Self.threadCounts(upTo: limit) {
            let rate = try bestRate(threadCount)
            if threadCount == 1 { single = rate }
            report(threadCount, rate, rate / single)
        }
    }

    private static func threadCounts(upTo limit: Int) -> [Int] {
        let powers = sequence(first: 1) { $0 * 2 }.prefix { $0 < limit }
        return powers + [limit]
    }

    private func bestRate(_ threadCount: Int) throws -> Double {
        var best = 0.0
        for _ in 0..<options.rounds { best = max(best, try rate(threadCount)) }
        return best
    }

    /// Returns the signatures per second in one round, summed over the threads.
    private func rate(_ threadCount: Int) throws -> Double {
        let kernels = options.kernels
        let key = CodeWorkloads.key(kernels)
        let message = Inputs.stringToSign()
        // Leave time for all threads to start before the round begins.
        let start = ContinuousClock.now.advanced(by: .milliseconds(2))
        let rates = Processors.run(threadCount) { () -> Double? in
            while ContinuousClock.now < start {}
            var count = 0
            repeat {
                let sum = total(Self.stride) { key.authenticationCode(for: message).checksum }
                guard sum == KnownAnswers.code &* UInt64(Self.stride) else { return nil }
                count += Self.stride
            } while start.duration(to: .now) < .milliseconds(20)
            return Double(count) / start.duration(to: .now).nanoseconds * 1e9
        }
        return try rates.reduce(0) { sum, rate in
            guard let rate else { throw WrongResultError(name: workload.name, implementation: workload.implementation) }
            return sum + rate
        }
    }

    /// The number of signatures between two clock readings.
    private static let stride = 500

    private func report(_ threadCount: Int, _ rate: Double, _ scale: Double) {
        let time = (1e9 * Double(threadCount) / rate).formatted(decimals: 1)
        let kernel = options.kernels.single
        if options.format == .json {
            var line = JSONOutput()
            line.add("case", workload.name)
            line.add("implementation", workload.implementation)
            line.add("kernel", kernel)
            line.add("ns", literal: time)
            line.add("bytes", Int64(workload.byteCount))
            line.add(Origin.current)
            line.add("allocations", literal: "null")
            line.add("threads", Int64(threadCount))
            line.add("signaturesPerSecond", literal: rate.formatted(decimals: 0))
            line.add("scale", literal: scale.formatted(decimals: 3))
            Console.output(String(decoding: line.bytes, as: UTF8.self))
        } else {
            Console.output(row("\(threadCount)", rate.grouped, scale.formatted(decimals: 2), time, kernel))
        }
    }

    private func row(_ threads: String, _ rate: String, _ scale: String, _ time: String, _ kernel: String) -> String {
        threads.padded(left: 7) + rate.padded(left: 16) + scale.padded(left: 11) + time.padded(left: 9) + "  " + kernel
    }
}

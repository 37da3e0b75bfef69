/// What a case came to.
struct Measurement {
    /// The process's resident kibibytes, where the system tells.
    struct Memory {
        let atStart: Int?
        let afterWarmUp: Int?
        let inTheMiddle: Int?
        let atEnd: Int?
        let peak: Int?

        /// How much there is at the end beyond what there was after the warm-up.
        var growth: Int? {
            guard let atEnd, let afterWarmUp else { return nil }
            return atEnd - afterWarmUp
        }
    }

    let name: String
    let inFlight: Int
    let duration: Duration
    /// How long each call took, the shortest first.
    let latencies: [Duration]
    let memory: Memory
    let threadCount: Int?

    /// Calls a second.
    var rate: Double { Double(latencies.count) / (duration / .seconds(1)) }

    /// The microseconds that some percent of the calls took at the most.
    func percentile(_ percent: Int) -> Double {
        guard !latencies.isEmpty else { return 0 }
        let index = (latencies.count * percent + 99) / 100 - 1
        return latencies[max(0, index)] / .microseconds(1)
    }
}

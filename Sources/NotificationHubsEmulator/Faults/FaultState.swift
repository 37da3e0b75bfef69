import NotificationHubs

/// A hub's faults with their counts and random number generators.
struct FaultState: Sendable {
    let faults: HubEmulator.Faults
    private(set) var counts: [HubEmulator.FaultCount]
    private var generators: [SeededGenerator]

    init(_ faults: HubEmulator.Faults) {
        self.faults = faults
        counts = faults.faults.map { _ in HubEmulator.FaultCount() }
        generators = faults.faults.indices.map { SeededGenerator(seed: faults.seed, stream: UInt64($0)) }
    }

    /// Counts a request and returns the first fault that triggers on it, if any.
    mutating func trigger(_ request: HubRequest, of hub: NotificationHub.Name) -> HubEmulator.Fault? {
        var first: Int?
        for (index, fault) in faults.faults.enumerated() where fault.matches(request, of: hub) {
            counts[index].matched += 1
            if triggers(fault.occurrence, index), first == nil { first = index }
        }
        guard let first else { return nil }
        counts[first].triggered += 1
        return faults.faults[first]
    }

    private mutating func triggers(_ occurrence: HubEmulator.Fault.Occurrence, _ index: Int) -> Bool {
        let number = counts[index].matched
        return switch occurrence {
        case .always: true
        case .rate(let rate): generators[index].nextFraction() < rate
        case .calls(let numbers): numbers.contains(number)
        case .every(let step): step > 0 && number.isMultiple(of: step)
        }
    }
}

/// A deterministic random number generator (SplitMix64).
private struct SeededGenerator: Sendable {
    private var state: UInt64

    /// - Parameter stream: The number of the sequence; a seed has many independent sequences.
    init(seed: UInt64, stream: UInt64) {
        state = seed
        state = next() ^ (stream &* 0xd134_2543_de82_ef95)
    }

    private mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var bits = state
        bits = (bits ^ (bits >> 30)) &* 0xbf58_476d_1ce4_e5b9
        bits = (bits ^ (bits >> 27)) &* 0x94d0_49bb_1331_11eb
        return bits ^ (bits >> 31)
    }

    /// Returns a number from 0 up to, but not including, 1.
    mutating func nextFraction() -> Double {
        Double(next() >> 11) * 0x1p-53
    }
}

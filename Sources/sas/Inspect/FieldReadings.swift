import HubText

/// What a field's value may stand for.
enum FieldReadings {
    /// Each reading once: decoded as a form, decoded, as it is, and decoded twice.
    static func of(_ value: ArraySlice<UInt8>) -> [[UInt8]] {
        let once = PercentDecoded(value, readsPlusAsSpace: true).bytes
        let candidates = [
            once, PercentDecoded(value, readsPlusAsSpace: false).bytes, Array(value),
            PercentDecoded(once, readsPlusAsSpace: true).bytes,
        ]
        return candidates.indices.filter { !candidates[..<$0].contains(candidates[$0]) }.map { candidates[$0] }
    }
}

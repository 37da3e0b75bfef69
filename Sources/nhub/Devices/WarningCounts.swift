import HubCommandLine

/// Warnings about devices, each with the number of its devices, for a summary at the end of a command.
struct WarningCounts {
    private var counts: [String: Int] = [:]

    /// The largest number of different warnings.
    private static let maximumCount = 1000

    /// Counts a warning about a device.
    mutating func add(_ text: String) {
        if counts[text] != nil || counts.count < Self.maximumCount { counts[text, default: 0] += 1 }
    }

    /// Prints the warnings to standard error, those of most devices first.
    func report() {
        let sorted = counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
        for (text, count) in sorted.prefix(20) {
            Console.error("nhub: warning: \(count) \(count == 1 ? "device" : "devices"): \(text)")
        }
        if sorted.count > 20 { Console.error("nhub: warning: \(sorted.count - 20) more different warnings") }
    }
}

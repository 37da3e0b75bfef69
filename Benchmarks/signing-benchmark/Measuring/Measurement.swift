/// What the rounds of a workload came to.
struct Measurement {
    let workload: Workload
    /// The best round's nanoseconds per operation.
    let best: Double
    /// The median round's nanoseconds per operation.
    let median: Double
    /// Allocations per operation, if they can be counted.
    let allocations: Double?

    /// Bytes per second for messages of a kibibyte on, operations per second for what is shorter.
    var rate: String {
        workload.byteCount >= 1024
            ? "\((Double(workload.byteCount) / best * 1000).formatted(decimals: 0)) MB/s"
            : "\((1e9 / best).grouped) op/s"
    }
}

extension Double {
    /// The number with some decimals, without an exponent.
    func formatted(decimals: Int) -> String {
        let scale = (0..<decimals).reduce(1.0) { scale, _ in scale * 10 }
        let digits = String(Int64((self * scale).rounded()))
        if decimals == 0 { return digits }
        let padded = String(repeating: "0", count: Swift.max(0, decimals + 1 - digits.count)) + digits
        return "\(padded.dropLast(decimals)).\(padded.suffix(decimals))"
    }

    /// The number with no decimals, its thousands apart.
    var grouped: String {
        let digits = Array(String(Int64(rounded())))
        return digits.enumerated().reduce(into: "") { text, digit in
            if digit.offset > 0, (digits.count - digit.offset).isMultiple(of: 3) { text += " " }
            text.append(digit.element)
        }
    }

    /// A count: whole, or with four decimals.
    var formattedCount: String {
        self == rounded() ? formatted(decimals: 0) : formatted(decimals: 4)
    }
}

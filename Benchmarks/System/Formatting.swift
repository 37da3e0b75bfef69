import HubCommandLine

extension [String] {
    /// Returns the cells of a table as a row.
    ///
    /// - Parameter widths: The columns' widths in characters; negative for text that is aligned to the left.
    package func row(widths: [Int]) -> String {
        zip(self, widths).map { $1 < 0 ? $0.padded(right: -$1) : $0.padded(left: $1) }.joined(separator: "  ")
    }
}

extension Double {
    /// Returns the number with a fixed number of decimals, without an exponent.
    package func formatted(decimals: Int) -> String {
        let scale = (0..<decimals).reduce(1.0) { scale, _ in scale * 10 }
        let digits = String(Int64((self * scale).rounded()))
        if decimals == 0 { return digits }
        let padded = String(repeating: "0", count: Swift.max(0, decimals + 1 - digits.count)) + digits
        return "\(padded.dropLast(decimals)).\(padded.suffix(decimals))"
    }

    /// The number rounded to an integer, with spaces between groups of three digits.
    package var grouped: String {
        let digits = Array(String(Int64(rounded())))
        return digits.enumerated().reduce(into: "") { text, digit in
            if digit.offset > 0, (digits.count - digit.offset).isMultiple(of: 3) { text += " " }
            text.append(digit.element)
        }
    }

    /// The number as an integer if it is one, otherwise with four decimals.
    package var formattedCount: String {
        self == rounded() ? formatted(decimals: 0) : formatted(decimals: 4)
    }
}

/// Random IDs in the service's formats, which are not secret.
package enum RandomID {
    /// Returns 32 hexadecimal digits.
    static func digits() -> String {
        (0..<2).map { _ in
            let digits = String(UInt64.random(in: .min ... .max), radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }.joined()
    }

    /// Returns a UUID in lowercase. `UUID()` would open a file for each one.
    package static func uuid() -> String {
        var (rest, groups) = (digits()[...], [Substring]())
        for count in [8, 4, 4, 4, 12] {
            groups.append(rest.prefix(count))
            rest = rest.dropFirst(count)
        }
        return groups.joined(separator: "-")
    }
}

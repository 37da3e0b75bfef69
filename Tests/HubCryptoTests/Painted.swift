/// Bytes of a pattern whose period is prime to every block's length, so that swapped blocks do not cancel.
func painted(_ count: Int) -> [UInt8] {
    (0..<count).map { UInt8($0 % 251) }
}

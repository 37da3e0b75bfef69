/// Returns bytes in a pattern whose period is coprime to all block lengths, so that swapped blocks change the digest.
func patternBytes(_ count: Int) -> [UInt8] {
    (0..<count).map { UInt8($0 % 251) }
}

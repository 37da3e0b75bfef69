/// Returns bytes in a pattern whose period is coprime to all block lengths, so that swapped blocks change the digest.
func patternBytes(_ count: Int) -> [UInt8] {
    (0..<count).map { UInt8($0 % 251) }
}

/// Calls a closure with the span of an array's bytes.
func withBytes<Result>(of array: [UInt8], _ body: (RawSpan) -> Result) -> Result {
    let array = ContiguousArray(array)
    #if compiler(>=6.3)
    return body(unsafe array.span.bytes)
    #else
    // The property is not marked as unsafe.
    return body(array.span.bytes)
    #endif
}

extension String {
    /// Calls `body` with the text's UTF-8 bytes; where the system's library lends them, without copying any.
    func withBytes<Result, Failure: Error>(
        _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        if #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) {
            return try body(utf8.span)
        }
        return try body(Array(utf8).span)
    }
}

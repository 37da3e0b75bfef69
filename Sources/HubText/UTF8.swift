extension Collection<UInt8> {
    /// The bytes as a string, with invalid UTF-8 replaced by U+FFFD.
    package var lossyText: String { String(decoding: self, as: UTF8.self) }
}

extension String {
    /// Creates a string from UTF-8. Returns `nil` if the bytes are not valid UTF-8.
    ///
    /// The standard library's `String(validating:as:)` requires macOS 15.
    @inlinable
    package init?(strictUTF8 bytes: some Collection<UInt8>) {
        // `decoding:` repairs invalid UTF-8, which changes the bytes.
        let text = String(decoding: bytes, as: UTF8.self)
        let isSame = bytes.withContiguousStorageIfAvailable { unsafe text.hasBytes($0) }
        guard isSame ?? text.utf8.elementsEqual(bytes) else { return nil }
        self = text
    }

    /// Creates a string with the text of a span. Invalid UTF-8 is replaced by U+FFFD.
    package init(copying bytes: Span<UInt8>) {
        self = unsafe bytes.withUnsafeBufferPointer { unsafe String(decoding: $0, as: UTF8.self) }
    }

    /// Calls `body` with the string's UTF-8 bytes, without a copy if the standard library supports it.
    @inlinable
    package func withBytes<Result, Failure: Error>(
        _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        if #available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *) {
            return try body(utf8.span)
        }
        return try body(ContiguousArray(utf8).span)
    }
}

extension Unicode.Scalar {
    /// Whether the scalar is a control character: U+0000 to U+001F and U+007F to U+009F, the general category Cc.
    @inlinable package var isControl: Bool { value < 0x20 || (0x7f...0x9f).contains(value) }
}

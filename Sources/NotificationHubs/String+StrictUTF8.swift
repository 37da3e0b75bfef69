extension String {
    /// The text of bytes that are UTF-8 from end to end, else `nil`.
    ///
    /// The standard library's own, `String(validating:as:)`, exists from macOS 15 on.
    package init?(strictUTF8 bytes: some Collection<UInt8>) {
        // What is not UTF-8 is mended on the way, and shows by being another text.
        let text = String(decoding: bytes, as: UTF8.self)
        guard text.utf8.elementsEqual(bytes) else { return nil }
        self = text
    }
}

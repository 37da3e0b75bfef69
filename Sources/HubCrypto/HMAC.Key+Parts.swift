extension HMAC.Key {
    /// The authentication code of a message that stands in three places.
    package func authenticationCode(
        joining first: Span<UInt8>, _ second: Span<UInt8>, _ third: Span<UInt8>
    ) -> HMAC.AuthenticationCode {
        var mac = HMAC(key: self)
        unsafe first.withUnsafeBytes { unsafe mac.update(bufferPointer: $0) }
        unsafe second.withUnsafeBytes { unsafe mac.update(bufferPointer: $0) }
        unsafe third.withUnsafeBytes { unsafe mac.update(bufferPointer: $0) }
        return mac.finalize()
    }
}

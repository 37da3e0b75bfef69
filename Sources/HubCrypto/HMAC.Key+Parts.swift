extension HMAC.Key {
    /// The authentication code of a message that stands in three places.
    ///
    /// A message of up to four blocks with its padding, as tokens are signed over, is put together on the stack.
    package func authenticationCode(
        joining first: Span<UInt8>, _ second: Span<UInt8>, _ third: Span<UInt8>
    ) -> HMAC.AuthenticationCode {
        let byteCount = first.count + second.count + third.count
        let blockCount = MessageEnd.blockCount(forRest: byteCount)
        guard blockCount <= 4 else { return streamed(first, second, third) }

        let (kernels, states) = (kernels, states)
        var inner = states.inner
        var blocks = (SIMD64<UInt8>.zero, SIMD64<UInt8>.zero, SIMD64<UInt8>.zero, SIMD64<UInt8>.zero)
        unsafe withUnsafeMutableBytes(of: &blocks) { blocks in
            var position = 0
            unsafe Self.append(first, to: blocks, &position)
            unsafe Self.append(second, to: blocks, &position)
            unsafe Self.append(third, to: blocks, &position)
            unsafe MessageEnd.pad(blocks, position, blockCount, after: UInt64(SHA256.blockByteCount))
            unsafe kernels.compress(&inner, UnsafeRawPointer(blocks.baseAddress.unsafelyUnwrapped), count: blockCount)
        }
        return HMAC.AuthenticationCode(kernels.outerHash(inner, states))
    }

    @inline(__always)
    private static func append(_ part: Span<UInt8>, to blocks: UnsafeMutableRawBufferPointer, _ position: inout Int) {
        unsafe part.withUnsafeBytes { part in
            unsafe UnsafeMutableRawBufferPointer(rebasing: blocks[position...]).copyMemory(from: part)
        }
        position += part.count
    }

    private func streamed(
        _ first: Span<UInt8>, _ second: Span<UInt8>, _ third: Span<UInt8>
    ) -> HMAC.AuthenticationCode {
        var mac = HMAC(key: self)
        unsafe first.withUnsafeBytes { unsafe mac.update(bufferPointer: $0) }
        unsafe second.withUnsafeBytes { unsafe mac.update(bufferPointer: $0) }
        unsafe third.withUnsafeBytes { unsafe mac.update(bufferPointer: $0) }
        return mac.finalize()
    }
}

/// The end of a message: the bytes that do not fill a block, with the padding of FIPS 180-4 §5.1.1 behind them, in one
/// block or two.
struct MessageEnd {
    private var blocks = (SIMD64<UInt8>.zero, SIMD64<UInt8>.zero)

    /// Where the blocks are, and how many: the form in which the kernels take them.
    @inline(__always)
    mutating func withBlocks(
        _ body: (UnsafeRawPointer, Int) -> Void, rest: UnsafeRawBufferPointer, of byteCount: UInt64
    ) {
        unsafe withUnsafeMutableBytes(of: &blocks) { blocks in
            let count = unsafe Self.write(rest, of: byteCount, into: blocks)
            unsafe body(UnsafeRawPointer(blocks.baseAddress.unsafelyUnwrapped), count)
        }
    }

    /// Writes a message's end.
    ///
    /// - Parameters:
    ///   - rest: the message's last bytes, fewer than a block.
    ///   - byteCount: the whole message's length.
    ///   - blocks: 128 bytes, all of them zero.
    /// - Returns: how many blocks it takes, 1 or 2.
    @inline(__always)
    static func write(
        _ rest: UnsafeRawBufferPointer, of byteCount: UInt64, into blocks: UnsafeMutableRawBufferPointer
    ) -> Int {
        unsafe blocks.copyMemory(from: rest)
        unsafe blocks.storeBytes(of: 0x80, toByteOffset: rest.count, as: UInt8.self)
        let count = rest.count < 56 ? 1 : 2
        unsafe blocks.storeBytes(of: (byteCount &* 8).bigEndian, toByteOffset: count &* 64 &- 8, as: UInt64.self)
        return count
    }
}

extension KernelChoice {
    /// Absorbs the rest of a message and its padding: the hash value that comes out is the message's digest.
    ///
    /// - Parameters:
    ///   - hash: what the message's earlier blocks have come to.
    ///   - rest: the message's bytes from there on.
    ///   - byteCount: the length of what came before them, whole blocks.
    @inline(__always)
    func absorbEnd(_ hash: inout HashValue, _ rest: UnsafeRawBufferPointer, after byteCount: UInt64) {
        let blockCount = rest.count / 64
        if blockCount > 0 {
            unsafe compress(&hash, rest.baseAddress.unsafelyUnwrapped, count: blockCount)
        }
        let tail = unsafe UnsafeRawBufferPointer(rebasing: rest[(blockCount &* 64)...])
        var end = MessageEnd()
        unsafe end.withBlocks(
            { blocks, count in unsafe compress(&hash, blocks, count: count) },
            rest: tail, of: byteCount &+ UInt64(rest.count))
    }
}

/// The last one or two blocks of a message: its last bytes and the padding of FIPS 180-4 §5.1.1.
struct MessageEnd {
    private var blocks = (SIMD64<UInt8>.zero, SIMD64<UInt8>.zero)

    /// The length of the longest message that fits in the blocks.
    static let maximumByteCount = 2 * 64 - 9

    /// Calls `body` with the address and the count of the message's last blocks.
    ///
    /// - Parameters:
    ///   - message: The message, or its end from a block boundary on.
    ///   - count: The number of bytes at its end that are not absorbed yet, at most ``maximumByteCount``.
    ///   - byteCount: The length of the whole message.
    @inline(__always)
    mutating func withBlocks(
        endOf message: UnsafeRawBufferPointer, count restCount: Int, of byteCount: UInt64,
        _ body: (UnsafeRawPointer, Int) -> Void
    ) {
        unsafe withUnsafeMutableBytes(of: &blocks) { blocks in
            let count = unsafe Self.write(endOf: message, count: restCount, of: byteCount, into: blocks)
            unsafe body(UnsafeRawPointer(blocks.baseAddress.unsafelyUnwrapped), count)
        }
    }

    /// Writes the last blocks of a message.
    ///
    /// - Parameters:
    ///   - message: The message, or its end from a block boundary on.
    ///   - count: The number of bytes at its end that are not absorbed yet, at most ``maximumByteCount``.
    ///   - byteCount: The length of the whole message.
    ///   - blocks: 128 zero bytes.
    /// - Returns: The number of blocks used, 1 or 2.
    @inline(__always)
    static func write(
        endOf message: UnsafeRawBufferPointer, count restCount: Int, of byteCount: UInt64,
        into blocks: UnsafeMutableRawBufferPointer
    ) -> Int {
        let blockCount = blockCount(forRest: restCount)
        let length = (byteCount &* 8).bigEndian
        // Kernels load sixteen bytes at a time; a load that spans two recent stores stalls.
        typealias Sixteen = SIMD2<UInt64>
        let start = message.count &- restCount
        var offset = 0
        while offset &+ 16 <= restCount {
            let bytes = unsafe message.loadUnaligned(fromByteOffset: start &+ offset, as: Sixteen.self)
            unsafe blocks.storeBytes(of: bytes, toByteOffset: offset, as: Sixteen.self)
            offset &+= 16
        }
        var last = unsafe Sixteen(lastWord(of: message, restCount & 7), 0)
        if offset &+ 8 <= restCount {
            last = unsafe Sixteen(message.loadUnaligned(fromByteOffset: start &+ offset, as: UInt64.self), last[0])
        }
        let lengthOffset = blockCount &* 64 &- 16
        if offset == lengthOffset {
            last[1] = length
        } else {
            unsafe blocks.storeBytes(of: Sixteen(0, length), toByteOffset: lengthOffset, as: Sixteen.self)
        }
        unsafe blocks.storeBytes(of: last, toByteOffset: offset, as: Sixteen.self)
        return blockCount
    }

    /// Returns a message's last bytes, up to seven, and the padding's one bit.
    @inline(__always)
    private static func lastWord(of message: UnsafeRawBufferPointer, _ byteCount: Int) -> UInt64 {
        let bitCount = UInt64(truncatingIfNeeded: byteCount) &* 8
        var word: UInt64 = 0
        if message.count >= 8, bitCount > 0 {
            let bytes = unsafe message.loadUnaligned(fromByteOffset: message.count &- 8, as: UInt64.self)
            word = UInt64(littleEndian: bytes) &>> (64 &- bitCount)
        } else {
            let start = message.count &- byteCount
            for index in 0..<byteCount {
                word |= UInt64(unsafe message[start &+ index]) &<< (UInt64(truncatingIfNeeded: index) &* 8)
            }
        }
        return (word | 0x80 &<< bitCount).littleEndian
    }

    /// Returns the number of blocks for the remaining bytes and the padding, which is at least one bit and an eight-byte
    /// length.
    @inline(__always)
    static func blockCount(forRest byteCount: Int) -> Int {
        (byteCount &+ 9 &+ 63) / 64
    }

    /// Pads blocks that hold the remaining bytes of a message, followed by zeros (FIPS 180-4 §5.1.1).
    ///
    /// - Parameters:
    ///   - blocks: At least `blockCount(forRest:)` blocks.
    ///   - restCount: The number of message bytes in the blocks.
    ///   - blockCount: The number of blocks to use.
    ///   - byteCount: The number of bytes before these blocks, a multiple of the block size.
    @inline(__always)
    static func pad(
        _ blocks: UnsafeMutableRawBufferPointer, _ restCount: Int, _ blockCount: Int, after byteCount: UInt64
    ) {
        unsafe blocks.storeBytes(of: 0x80, toByteOffset: restCount, as: UInt8.self)
        let bitCount = (byteCount &+ UInt64(restCount)) &* 8
        unsafe blocks.storeBytes(of: bitCount.bigEndian, toByteOffset: blockCount &* 64 &- 8, as: UInt64.self)
    }
}

extension KernelChoice {
    /// Absorbs the rest of a message and its padding; the result is the message's digest.
    ///
    /// - Parameters:
    ///   - hash: The hash value after the message's earlier blocks.
    ///   - rest: The remaining bytes of the message.
    ///   - byteCount: The number of bytes before `rest`, a multiple of the block size.
    @inline(__always)
    func absorbEnd(_ hash: inout HashValue, _ rest: UnsafeRawBufferPointer, after byteCount: UInt64) {
        var end = MessageEnd()
        unsafe absorbEnd(&hash, rest, after: byteCount, &end)
    }

    /// Absorbs the rest of a message and its padding, using the caller's buffer for the last blocks so that the caller
    /// can wipe it.
    @inline(__always)
    func absorbEnd(
        _ hash: inout HashValue, _ rest: UnsafeRawBufferPointer, after byteCount: UInt64, _ end: inout MessageEnd
    ) {
        let blockCount = rest.count / 64
        if blockCount > 0 {
            unsafe compress(&hash, rest.baseAddress.unsafelyUnwrapped, count: blockCount)
        }
        unsafe end.withBlocks(endOf: rest, count: rest.count & 63, of: byteCount &+ UInt64(rest.count)) {
            blocks, count in
            unsafe compress(&hash, blocks, count: count)
        }
    }
}

/// The last one or two blocks of a message: the bytes after its last whole block and the padding of FIPS 180-4 §5.1.1.
struct MessageEnd {
    private var blocks = (SIMD64<UInt8>.zero, SIMD64<UInt8>.zero)

    /// Calls `body` with the address and the count of the message's last blocks.
    ///
    /// - Parameters:
    ///   - message: The remaining bytes of the message, starting at a block boundary.
    ///   - byteCount: The length of the whole message.
    @inline(__always)
    mutating func withBlocks(
        endOf message: UnsafeRawBufferPointer, of byteCount: UInt64, _ body: (UnsafeRawPointer, Int) -> Void
    ) {
        unsafe withUnsafeMutableBytes(of: &blocks) { blocks in
            let count = unsafe Self.write(endOf: message, of: byteCount, into: blocks)
            unsafe body(UnsafeRawPointer(blocks.baseAddress.unsafelyUnwrapped), count)
        }
    }

    /// Writes the last blocks of a message.
    ///
    /// - Parameters:
    ///   - message: The remaining bytes of the message, starting at a block boundary.
    ///   - byteCount: The length of the whole message.
    ///   - blocks: 128 zero bytes.
    /// - Returns: The number of blocks used, 1 or 2.
    @inline(__always)
    static func write(
        endOf message: UnsafeRawBufferPointer, of byteCount: UInt64, into blocks: UnsafeMutableRawBufferPointer
    ) -> Int {
        let restCount = message.count & 63
        unsafe copyWords(endOf: message, restCount, to: blocks)
        let count = blockCount(forRest: restCount)
        unsafe blocks.storeBytes(of: (byteCount &* 8).bigEndian, toByteOffset: count &* 64 &- 8, as: UInt64.self)
        return count
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

    /// Copies the bytes after the last whole block and appends the padding's one bit.
    ///
    /// Copies word by word: for so few bytes, a call to `memcpy` costs more.
    @inline(__always)
    private static func copyWords(
        endOf message: UnsafeRawBufferPointer, _ restCount: Int, to block: UnsafeMutableRawBufferPointer
    ) {
        var offset = 0
        let start = message.count &- restCount
        while offset &+ 8 <= restCount {
            let word = unsafe message.loadUnaligned(fromByteOffset: start &+ offset, as: UInt64.self)
            unsafe block.storeBytes(of: word, toByteOffset: offset, as: UInt64.self)
            offset &+= 8
        }
        let bitCount = UInt64(truncatingIfNeeded: restCount &- offset) &* 8
        var last: UInt64 = 0
        if message.count >= 8, bitCount > 0 {
            // The message's last eight bytes; the leading ones are already copied.
            let word = unsafe message.loadUnaligned(fromByteOffset: message.count &- 8, as: UInt64.self)
            last = UInt64(littleEndian: word) &>> (64 &- bitCount)
        } else {
            for index in (start &+ offset)..<message.count {
                last |= UInt64(unsafe message[index]) &<< (UInt64(truncatingIfNeeded: index &- start &- offset) &* 8)
            }
        }
        last |= 0x80 &<< bitCount
        unsafe block.storeBytes(of: last.littleEndian, toByteOffset: offset, as: UInt64.self)
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
        unsafe end.withBlocks(endOf: rest, of: byteCount &+ UInt64(rest.count)) { blocks, count in
            unsafe compress(&hash, blocks, count: count)
        }
    }
}

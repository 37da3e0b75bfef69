/// The end of a message: the bytes that do not fill a block, followed by the padding of FIPS 180-4 §5.1.1, in one
/// block or two.
struct MessageEnd {
    private var blocks = (SIMD64<UInt8>.zero, SIMD64<UInt8>.zero)

    /// Calls `body` with the blocks that end a message, and how many they are: the form in which the kernels take them.
    ///
    /// - Parameters:
    ///   - message: the message's bytes from a block's start on, all that are left.
    ///   - byteCount: the whole message's length.
    @inline(__always)
    mutating func withBlocks(
        endOf message: UnsafeRawBufferPointer, of byteCount: UInt64, _ body: (UnsafeRawPointer, Int) -> Void
    ) {
        unsafe withUnsafeMutableBytes(of: &blocks) { blocks in
            let count = unsafe Self.write(endOf: message, of: byteCount, into: blocks)
            unsafe body(UnsafeRawPointer(blocks.baseAddress.unsafelyUnwrapped), count)
        }
    }

    /// Writes a message's end.
    ///
    /// - Parameters:
    ///   - message: the message's bytes from a block's start on, all that are left.
    ///   - byteCount: the whole message's length.
    ///   - blocks: 128 bytes, all of them zero.
    /// - Returns: how many blocks it takes, 1 or 2.
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

    /// How many blocks the padding makes of a message's last bytes: it has a one bit and a length of eight bytes.
    @inline(__always)
    static func blockCount(forRest byteCount: Int) -> Int {
        (byteCount &+ 9 &+ 63) / 64
    }

    /// Pads blocks (FIPS 180-4 §5.1.1) that hold the rest of a message, then zeros.
    ///
    /// - Parameters:
    ///   - blocks: the blocks, as many as `blockCount(forRest:)` says at least.
    ///   - restCount: how many of the message's bytes are in them.
    ///   - blockCount: how many blocks it takes.
    ///   - byteCount: the length of what came before them, whole blocks.
    @inline(__always)
    static func pad(
        _ blocks: UnsafeMutableRawBufferPointer, _ restCount: Int, _ blockCount: Int, after byteCount: UInt64
    ) {
        unsafe blocks.storeBytes(of: 0x80, toByteOffset: restCount, as: UInt8.self)
        let bitCount = (byteCount &+ UInt64(restCount)) &* 8
        unsafe blocks.storeBytes(of: bitCount.bigEndian, toByteOffset: blockCount &* 64 &- 8, as: UInt64.self)
    }

    /// Copies the bytes after the last whole block, and a one bit after them, word by word: for so few bytes, a call of the
    /// system's function costs more.
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
            // The message's last eight bytes, of which the first ones are in place already.
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
    /// Absorbs the rest of a message and its padding: the hash value that comes out is the message's digest.
    ///
    /// - Parameters:
    ///   - hash: what the message's earlier blocks have come to.
    ///   - rest: the message's bytes from there on.
    ///   - byteCount: the length of what came before them, whole blocks.
    @inline(__always)
    func absorbEnd(_ hash: inout HashValue, _ rest: UnsafeRawBufferPointer, after byteCount: UInt64) {
        var end = MessageEnd()
        unsafe absorbEnd(&hash, rest, after: byteCount, &end)
    }

    /// The same, with the last blocks in memory of the caller's, who may want to wipe it.
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

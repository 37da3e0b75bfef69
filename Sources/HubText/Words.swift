extension Span<UInt8> {
    /// Returns eight bytes, the first one lowest. They must exist; only debug builds check it.
    @inlinable @inline(__always)
    package func word(at offset: Int) -> UInt64 {
        unsafe withUnsafeBytes {
            unsafe UInt64(littleEndian: $0.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
        }
    }

    /// Returns whether the bytes at an offset exist and equal other bytes.
    @inlinable
    package func contains(_ other: Span<UInt8>, at start: Int) -> Bool {
        guard start >= 0, other.count <= count - start else { return false }
        var offset = 0
        while offset + 8 <= other.count {
            guard word(at: start + offset) == other.word(at: offset) else { return false }
            offset += 8
        }
        while offset < other.count {
            guard self[start + offset] == other[offset] else { return false }
            offset += 1
        }
        return true
    }
}

extension UInt64 {
    /// Returns the number of bytes before the first one with a value, from the lowest; 8 if there is none.
    @inlinable @inline(__always)
    package func firstIndex(ofByte byte: UInt8) -> Int {
        let difference = self ^ (0x0101_0101_0101_0101 &* UInt64(byte))
        // The lowest flag is exact; higher ones need not be.
        let flags = (difference &- 0x0101_0101_0101_0101) & ~difference & 0x8080_8080_8080_8080
        return flags.trailingZeroBitCount / 8
    }
}

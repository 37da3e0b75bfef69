extension Span<UInt8> {
    /// Returns eight bytes, the first one lowest.
    @inlinable @inline(__always)
    package func word(at offset: Int) -> UInt64 {
        UInt64(littleEndian: unsafe bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self))
    }

    /// Returns sixteen bytes.
    @inlinable @inline(__always)
    package func block(at offset: Int) -> SIMD16<UInt8> {
        unsafe bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: SIMD16<UInt8>.self)
    }

    /// Returns whether the bytes at an offset exist and equal other bytes.
    @inlinable
    package func contains(_ other: Span<UInt8>, at start: Int) -> Bool {
        guard start + other.count <= count else { return false }
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
    /// Returns whether one of the eight bytes has a value.
    @inlinable @inline(__always)
    package func containsByte(_ byte: UInt8) -> Bool {
        let difference = self ^ (0x0101_0101_0101_0101 &* UInt64(byte))
        return (difference &- 0x0101_0101_0101_0101) & ~difference & 0x8080_8080_8080_8080 != 0
    }
}

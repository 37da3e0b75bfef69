/// The checksum of results, which keeps computations from being optimized away and detects wrong results.
///
/// It is the sum of the bytes' 64-bit words in little-endian order, zero-padded. It adds only a few nanoseconds, and
/// workload closures need no comparison.
enum Checksum {
    /// Returns the checksum of bytes.
    @inline(__always)
    static func of(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
        var sum: UInt64 = 0
        var offset = 0
        while offset &+ 8 <= bytes.count {
            sum &+= unsafe UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
            offset &+= 8
        }
        var shift: UInt64 = 0
        while offset < bytes.count {
            sum &+= unsafe UInt64(bytes[offset]) &<< shift
            offset &+= 1
            shift &+= 8
        }
        return sum
    }

    /// Returns the sum of the checksums of results.
    @inline(__always)
    static func ofEach(_ results: some Sequence<some RandomAccessCollection<UInt8>>) -> UInt64 {
        results.reduce(0) { $0 &+ $1.checksum }
    }
}

extension RandomAccessCollection<UInt8> {
    @inline(__always)
    var checksum: UInt64 {
        // Digests and codes have contiguous storage; any other collection gets an invalid checksum.
        withContiguousStorageIfAvailable { unsafe Checksum.of(UnsafeRawBufferPointer($0)) } ?? .max
    }
}

extension String {
    @inline(__always)
    var checksum: UInt64 {
        // Native Swift strings are contiguous; any other string gets an invalid checksum.
        unsafe utf8.withContiguousStorageIfAvailable { unsafe Checksum.of(UnsafeRawBufferPointer($0)) } ?? 0
    }
}

/// What every result is added up by, so that no computation is skipped, and a wrong one is seen.
///
/// The sum of the bytes' 64-bit words in little-endian order, zeros behind the last: it takes few nanoseconds beside what
/// is measured, and no closure has to compare.
enum Checksum {
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

    /// The sum of many results.
    @inline(__always)
    static func ofEach(_ results: some Sequence<some RandomAccessCollection<UInt8>>) -> UInt64 {
        results.reduce(0) { $0 &+ $1.checksum }
    }
}

extension RandomAccessCollection<UInt8> {
    @inline(__always)
    var checksum: UInt64 {
        // Digests and codes have contiguous storage; a collection without has a checksum that is never right.
        withContiguousStorageIfAvailable { unsafe Checksum.of(UnsafeRawBufferPointer($0)) } ?? .max
    }
}

extension String {
    @inline(__always)
    var checksum: UInt64 {
        // A text made by Swift has its bytes in a row; one that does not has a sum that is never right.
        unsafe utf8.withContiguousStorageIfAvailable { unsafe Checksum.of(UnsafeRawBufferPointer($0)) } ?? 0
    }
}

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

extension Span<UInt8> {
    /// Returns the index of the first occurrence of a byte at or after a start, found with `memchr`.
    package func firstIndex(of byte: UInt8, from start: Int) -> Int? {
        unsafe extracting(start...).withUnsafeBufferPointer { bytes in
            guard let base = bytes.baseAddress, let found = unsafe memchr(base, CInt(byte), bytes.count) else {
                return nil
            }
            return unsafe start + (UnsafeRawPointer(found) - UnsafeRawPointer(base))
        }
    }

    /// Returns whether the bytes contain a non-empty sequence of bytes.
    package func contains(_ other: Span<UInt8>) -> Bool {
        var position = 0
        while let start = firstIndex(of: other[0], from: position), start + other.count <= count {
            var equalCount = 1
            while equalCount < other.count, self[start + equalCount] == other[equalCount] { equalCount += 1 }
            if equalCount == other.count { return true }
            position = start + 1
        }
        return false
    }
}

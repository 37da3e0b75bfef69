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
}

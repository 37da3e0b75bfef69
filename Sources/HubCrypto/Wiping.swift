#if hasFeature(Embedded)
@_extern(c, "explicit_bzero")
private func explicit_bzero(_ start: UnsafeMutableRawPointer, _ count: Int)
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Overwrites memory with zeros by a call that the optimiser may not drop.
func wipe(_ bytes: UnsafeMutableRawBufferPointer) {
    guard let start = bytes.baseAddress else { return }
    #if canImport(Darwin)
    unsafe memset_s(start, bytes.count, 0, bytes.count)
    #else
    unsafe explicit_bzero(start, bytes.count)
    #endif
}

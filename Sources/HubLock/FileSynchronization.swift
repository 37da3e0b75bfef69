#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Waits until the changes of a file or directory are on the disk.
///
/// - Returns: Whether that succeeded; otherwise, `errno` is set.
package func synchronizeFile(_ descriptor: CInt) -> Bool {
    #if canImport(Darwin)
    // On Darwin, fsync leaves bytes in the disk's cache. Some file systems, such as those of networks, support only fsync.
    if fcntl(descriptor, F_FULLFSYNC) == 0 { return true }
    guard [ENOTSUP, ENOTTY, EINVAL].contains(errno) else { return false }
    #endif
    return fsync(descriptor) == 0
}

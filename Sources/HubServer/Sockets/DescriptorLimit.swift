#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The limit on a process's open files and sockets.
struct DescriptorLimit {
    let count: Int

    /// The limit of this process.
    static var current: DescriptorLimit {
        var limit = rlimit()
        #if canImport(Glibc)
        let status = unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        #else
        let status = unsafe getrlimit(RLIMIT_NOFILE, &limit)
        #endif
        return DescriptorLimit(count: status == 0 ? Int(clamping: limit.rlim_cur) : .max)
    }

    /// The maximum number of connections. Some descriptors are reserved for files and events of waits, and because libdispatch crashes
    /// when it gets none.
    var connectionCount: Int {
        max(min(count - 64, count / 3 * 2), count / 2, 1)
    }
}

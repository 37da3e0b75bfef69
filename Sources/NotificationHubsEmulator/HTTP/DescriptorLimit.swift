#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// How many files and sockets a process may have open.
struct DescriptorLimit {
    let count: Int

    /// That of this process.
    static var current: DescriptorLimit {
        var limit = rlimit()
        #if canImport(Glibc)
        let status = unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        #else
        let status = unsafe getrlimit(RLIMIT_NOFILE, &limit)
        #endif
        return DescriptorLimit(count: status == 0 ? Int(clamping: limit.rlim_cur) : .max)
    }

    /// How many connections there may be. The rest of the process is left some: libdispatch ends it where there is none.
    var connectionCount: Int {
        max(count - 64, count / 2, 1)
    }
}

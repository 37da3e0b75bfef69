#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The file with a process's memory, which the system can write when the process crashes.
package enum CoreDump {
    /// Prevents core dumps of this process and of the processes that it starts, because they would contain keys.
    ///
    /// Linux ignores a limit of zero if a program receives the dumps (core(5)), but not a limit of one byte.
    package static func disable() {
        #if canImport(Glibc)
        let resource = __rlimit_resource_t(RLIMIT_CORE.rawValue)
        #else
        let resource = RLIMIT_CORE
        #endif
        var limit = rlimit()
        guard unsafe getrlimit(resource, &limit) == 0 else { return }
        limit.rlim_cur = min(1, limit.rlim_max)
        _ = unsafe setrlimit(resource, &limit)
    }
}

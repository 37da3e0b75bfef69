import HubLock

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A limit on the memory that the state of one or more hubs uses. All sizes are estimates.
package final class MemoryBudget: Sendable {
    /// The limit in bytes.
    package let limit: Int
    private let used = Locked(0)

    /// Creates an unused budget with a limit in bytes.
    package init(limit: Int = .max) {
        self.limit = limit
    }

    /// The number of bytes that the hubs use.
    package var usedByteCount: Int { used.withLock { $0 } }

    /// Adds to the number of used bytes.
    func add(_ byteCount: Int) {
        if byteCount != 0 { used.withLock { $0 += byteCount } }
    }

    /// Returns freed memory to the system. Otherwise, the C library keeps most of it for later allocations.
    static func returnFreeMemory() {
        // Swift's module of the C library lacks this function of GNU's.
        guard let address = unsafe dlsym(nil, "malloc_trim") else { return }
        let trim = unsafe unsafeBitCast(address, to: (@convention(c) (Int) -> CInt).self)
        _ = trim(0)
    }

    /// The limit in bytes of each part of a hub's state that drops its oldest elements.
    var historyLimit: Int { min(64 << 20, limit / 16) }
}

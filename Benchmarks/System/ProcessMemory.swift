#if canImport(Glibc)
import Glibc
#endif

/// The memory and thread statistics of this process.
package enum ProcessMemory {
    /// The resident memory, in KiB; `nil` if the system does not report it.
    package static var resident: Int? { status("VmRSS:") }

    /// The peak resident memory, in KiB; `nil` if the system does not report it.
    package static var peak: Int? { status("VmHWM:") }

    /// The number of threads; `nil` if the system does not report it.
    package static var threadCount: Int? { status("Threads:") }

    /// The heap memory that is allocated and not freed, in bytes; `nil` without glibc 2.33.
    ///
    /// Unlike the resident memory, it excludes free memory that the allocator keeps.
    package static var allocated: Int? {
        #if canImport(Glibc)
        // struct mallinfo2 { size_t arena, ordblks, smblks, hblks, hblkhd, usmblks, fsmblks, uordblks, fordblks, keepcost; }
        // Swift's Glibc module does not declare it. x86-64 and arm64 return structures larger than 16 bytes in memory that the
        // caller provides. `rusage` provides 144 bytes, of which mallinfo2 writes 80.
        typealias MallocInformation = @convention(c) () -> rusage
        guard let function = unsafe dlsym(nil, "mallinfo2") else { return nil }
        let information = unsafe unsafeBitCast(function, to: MallocInformation.self)()
        return unsafe withUnsafeBytes(of: information) { bytes in
            let inHeap = unsafe bytes.load(fromByteOffset: 56, as: Int.self)  // uordblks
            let mapped = unsafe bytes.load(fromByteOffset: 32, as: Int.self)  // hblkhd
            return inHeap + mapped
        }
        #else
        return nil
        #endif
    }

    private static func status(_ name: String) -> Int? {
        #if os(Linux)
        let lines = SystemInformation.contents(of: "/proc/self/status").split(separator: "\n")
        return lines.first { $0.hasPrefix(name) }?.split(whereSeparator: { " \t".contains($0) }).dropFirst().first
            .flatMap { Int($0) }
        #else
        return nil
        #endif
    }
}

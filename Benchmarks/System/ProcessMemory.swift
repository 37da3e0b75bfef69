/// How much memory this process has.
package enum ProcessMemory {
    /// The kibibytes of it that are in the machine's memory now, if the system tells.
    package static var resident: Int? { status("VmRSS:") }

    /// The most that there ever were.
    package static var peak: Int? { status("VmHWM:") }

    /// How many threads there are.
    package static var threadCount: Int? { status("Threads:") }

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

/// A description of the machine and the build that produced the figures.
package enum Machine {
    /// The header lines of each table.
    package static var header: [String] {
        [
            "CPU      \(processorModel), \(Processors.count) processors",
            "System   \(SystemInformation.kernelRelease)",
            "Swift    \(swiftVersion), \(configuration) build",
        ]
    }

    /// The machine and the build in one line.
    package static var summary: String {
        "\(processorModel), \(Processors.count) processors; \(SystemInformation.kernelRelease); "
            + "Swift \(swiftVersion), \(configuration) build"
    }

    private static var processorModel: String {
        #if os(Linux)
        let line = SystemInformation.contents(of: "/proc/cpuinfo").split(separator: "\n")
            .first { $0.hasPrefix("model name") || $0.hasPrefix("CPU implementer") }
        guard let line, let colon = line.firstIndex(of: ":") else { return "unknown" }
        return String(line[line.index(after: colon)...].drop { $0 == " " })
        #else
        return SystemInformation.value(of: "machdep.cpu.brand_string") ?? "unknown"
        #endif
    }

    /// The compiler version. The 6.3.1 standard library reports 6.3.0, so this uses conditional compilation.
    private static var swiftVersion: String {
        #if compiler(>=6.4)
        "6.4 or later"
        #elseif compiler(>=6.3.2)
        "6.3.2 or later"
        #elseif compiler(>=6.3.1)
        "6.3.1"
        #elseif compiler(>=6.3)
        "6.3"
        #else
        "6.2"
        #endif
    }

    private static var configuration: String {
        #if DEBUG
        "debug"
        #else
        "release"
        #endif
    }
}

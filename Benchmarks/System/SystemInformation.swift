#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// What the operating system tells of itself and of the machine.
enum SystemInformation {
    /// The kernel's name, release and architecture, as `uname -srm` prints them.
    static var kernelRelease: String {
        var names = utsname()
        guard unsafe uname(&names) == 0 else { return "unknown" }
        return "\(text(names.sysname)) \(text(names.release)) \(text(names.machine))"
    }

    /// The first few thousand bytes of a file; nothing if it cannot be read.
    static func contents(of path: String) -> String {
        let descriptor = unsafe open(path, O_RDONLY)
        guard descriptor >= 0 else { return "" }
        defer { close(descriptor) }
        return unsafe withUnsafeTemporaryAllocation(byteCount: 8192, alignment: 1) { buffer in
            let count = unsafe read(descriptor, buffer.baseAddress, buffer.count)
            return unsafe String(decoding: buffer[..<max(0, count)], as: UTF8.self)
        }
    }

    #if canImport(Darwin)
    /// A text among the system's settings.
    static func value(of setting: String) -> String? {
        var value = [UInt8](repeating: 0, count: 256)
        var count = value.count
        guard unsafe sysctlbyname(setting, &value, &count, nil, 0) == 0 else { return nil }
        return String(decoding: value.prefix { $0 != 0 }, as: UTF8.self)
    }
    #endif

    /// The text in a field of bytes that ends at a zero.
    private static func text(_ field: some BitwiseCopyable) -> String {
        unsafe withUnsafeBytes(of: field) { unsafe String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    }
}

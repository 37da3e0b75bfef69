#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Information from the operating system about itself and the machine.
enum SystemInformation {
    /// The kernel's name, release and architecture, in the format of `uname -srm`.
    static var kernelRelease: String {
        var names = utsname()
        guard unsafe uname(&names) == 0 else { return "unknown" }
        return "\(text(names.sysname)) \(text(names.release)) \(text(names.machine))"
    }

    /// Returns at most the first 8192 bytes of a file, or an empty string if the file cannot be read.
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
    /// Returns a string value from `sysctl`.
    static func value(of setting: String) -> String? {
        var value = [UInt8](repeating: 0, count: 256)
        var count = value.count
        guard unsafe sysctlbyname(setting, &value, &count, nil, 0) == 0 else { return nil }
        return String(decoding: value.prefix { $0 != 0 }, as: UTF8.self)
    }
    #endif

    /// Returns the string in a zero-terminated byte field.
    private static func text(_ field: some BitwiseCopyable) -> String {
        unsafe withUnsafeBytes(of: field) { unsafe String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    }
}

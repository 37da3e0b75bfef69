#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// What all that reads or writes by a descriptor needs.
enum Descriptor {
    /// Writes all bytes.
    ///
    /// - Returns: the system's number if not all could be written.
    static func write(_ bytes: [UInt8], to descriptor: CInt) -> CInt? {
        var rest = bytes[...]
        while !rest.isEmpty {
            let written = unsafe rest.withUnsafeBytes { unsafe systemWrite(descriptor, $0.baseAddress, $0.count) }
            let code = errno
            if written < 0, code == EINTR { continue }
            guard written > 0 else { return code }
            rest = rest.dropFirst(written)
        }
        return nil
    }

    /// Has the lowest free descriptor lead to nothing.
    static func openNothing(_ flags: CInt) {
        _ = systemOpenNothing(flags)
    }

    /// What the system says of the file.
    static func status(_ descriptor: CInt) -> stat? {
        var status = stat()
        return unsafe fstat(descriptor, &status) == 0 ? status : nil
    }

    /// Whether it is a file of a disk, rather than a pipe, a terminal or a directory.
    static func isRegular(_ descriptor: CInt) -> Bool {
        status(descriptor).map { $0.st_mode & S_IFMT == S_IFREG } ?? false
    }
}

private func systemOpenNothing(_ flags: CInt) -> CInt {
    unsafe open("/dev/null", flags)
}

private func systemWrite(_ descriptor: CInt, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
    unsafe write(descriptor, bytes, count)
}

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Operations on file descriptors.
enum Descriptor {
    /// Writes all bytes.
    ///
    /// - Returns: The error number if not all bytes could be written.
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

    /// Opens `/dev/null` as the lowest free descriptor.
    static func openNothing(_ flags: CInt) {
        _ = systemOpenNothing(flags)
    }

    /// The status of the file.
    static func status(_ descriptor: CInt) -> stat? {
        var status = stat()
        return unsafe fstat(descriptor, &status) == 0 ? status : nil
    }

    /// Whether the descriptor is a regular file.
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

/// The texts of system errors.
enum SystemError {
    /// The text for an error number.
    static func text(_ code: CInt) -> String {
        unsafe strerror(code).map { unsafe String(cString: $0) } ?? "error \(code)"
    }
}

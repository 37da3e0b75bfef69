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
    /// - Returns: The error number, or `nil` if all bytes were written.
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

    /// Opens `/dev/null` with the lowest free descriptor.
    static func openNull(_ flags: CInt) {
        _ = systemOpenNull(flags)
    }

    /// A descriptor that refers to another file until the redirection ends.
    struct Redirection {
        private let descriptor: CInt
        private let original: CInt

        /// Makes a descriptor refer to the file of another one.
        init(of descriptor: CInt, to other: CInt) {
            self.descriptor = descriptor
            original = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
            _ = dup2(other, descriptor)
        }

        /// Restores the descriptor.
        func end() {
            _ = dup2(original, descriptor)
            _ = close(original)
        }
    }

    /// Returns the status of the file, or `nil` if the descriptor is invalid.
    static func status(_ descriptor: CInt) -> stat? {
        var status = stat()
        return unsafe fstat(descriptor, &status) == 0 ? status : nil
    }

    /// Returns whether the descriptor refers to a regular file.
    static func isRegular(_ descriptor: CInt) -> Bool {
        status(descriptor).map { $0.st_mode & S_IFMT == S_IFREG } ?? false
    }
}

private func systemOpenNull(_ flags: CInt) -> CInt {
    unsafe open("/dev/null", flags)
}

private func systemWrite(_ descriptor: CInt, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
    unsafe write(descriptor, bytes, count)
}

/// Messages for system errors.
enum SystemError {
    /// Returns the message for an error number.
    static func text(_ code: CInt) -> String {
        unsafe strerror(code).map { unsafe String(cString: $0) } ?? "error \(code)"
    }
}

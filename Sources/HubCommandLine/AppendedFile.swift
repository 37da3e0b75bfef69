#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A file that is appended to, readable only by its owner.
///
/// Appended bytes survive a crash of the process; those before ``synchronize()`` also survive a crash of the machine.
package final class AppendedFile: Sendable {
    private let descriptor: CInt

    /// The expected state of the path.
    package enum Expectation: Sendable {
        /// No file: only one of two programs creates it.
        case nothing
        /// A file.
        case file
        /// Either.
        case either
    }

    /// Opens or creates a file.
    ///
    /// - Throws: ``Failure``, also for a pipe or a device, which cannot be read back or synchronized.
    package init(path: String, _ expectation: Expectation) throws(Failure) {
        let flags =
            switch expectation {
            case .nothing: O_CREAT | O_EXCL
            case .file: CInt(0)
            case .either: O_CREAT
            }
        descriptor = try Self.open(path, flags | O_RDWR | O_APPEND | O_CLOEXEC)
        guard Descriptor.isRegular(descriptor) else { throw .noFile }
    }

    private static func open(_ path: String, _ flags: CInt) throws(Failure) -> CInt {
        guard !path.utf8.contains(0) else { throw Failure(code: ENOENT) }
        let descriptor = systemOpen(path, flags)
        guard descriptor >= 0 else { throw Failure(code: errno) }
        return descriptor
    }

    deinit {
        // A child that is being started has a copy of the descriptor, which would keep the lock.
        _ = flock(descriptor, LOCK_UN)
        _ = close(descriptor)
    }

    /// Whether the file is empty.
    package var isEmpty: Bool {
        Descriptor.status(descriptor)?.st_size == 0
    }

    /// Locks the file for this process.
    ///
    /// - Returns: Whether the lock was free and the path still names the file.
    package func lock() -> Bool {
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else { return false }
        return Descriptor.status(descriptor).map { $0.st_nlink > 0 } ?? false
    }

    /// Appends bytes.
    package func append(_ bytes: [UInt8]) throws(Failure) {
        if let code = Descriptor.write(bytes, to: descriptor) { throw Failure(code: code) }
    }

    /// Truncates the file to a number of bytes.
    package func truncate(to count: Int) throws(Failure) {
        guard ftruncate(descriptor, off_t(count)) == 0 else { throw Failure(code: errno) }
    }

    /// Waits until the file is on the disk.
    package func synchronize() throws(Failure) {
        guard fsync(descriptor) == 0 else { throw Failure(code: errno) }
    }

    /// Removes a file, if it exists.
    package static func remove(_ path: String) {
        _ = unsafe unlink(path)
    }

    /// The reason that a file cannot be written.
    package struct Failure: Error, Hashable, CustomStringConvertible {
        /// The error number; `nil` for anything but a regular file.
        private let code: CInt?

        static let noFile = Failure(code: nil)

        init(code: CInt?) {
            self.code = code
        }

        /// Whether the file does not exist.
        package var isMissing: Bool { code == ENOENT }
        package var description: String { code.map(SystemError.text) ?? "It is no file of a disk" }
    }
}

private func systemOpen(_ path: String, _ flags: CInt) -> CInt {
    unsafe open(path, flags, mode_t(0o600))
}

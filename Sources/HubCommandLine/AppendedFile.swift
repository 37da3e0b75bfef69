#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A file that is written at its end, piece by piece, for its owner alone.
///
/// What was appended survives the end of the process, however that ends; what was appended before ``synchronize()`` survives
/// the end of the machine, too.
package final class AppendedFile: Sendable {
    private let descriptor: CInt

    /// What must be, or must not be, at the path.
    package enum Expectation: Sendable {
        /// Nothing: of two programs, one gets the file.
        case nothing
        /// The file.
        case file
        /// Either.
        case either
    }

    /// Opens a file, or creates it.
    ///
    /// - Throws: ``Failure``, also for a pipe or a device: what was written there cannot be read back, or brought to a disk.
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
        // A process that is being started has a copy of the descriptor, which would keep the lock.
        _ = flock(descriptor, LOCK_UN)
        _ = close(descriptor)
    }

    /// Whether it has no byte.
    package var isEmpty: Bool {
        Descriptor.status(descriptor)?.st_size == 0
    }

    /// Keeps the file for this process, until it ends or closes the file.
    ///
    /// - Returns: whether no other process has it, and the path still leads to it.
    package func lock() -> Bool {
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else { return false }
        return Descriptor.status(descriptor).map { $0.st_nlink > 0 } ?? false
    }

    /// Appends bytes.
    package func append(_ bytes: [UInt8]) throws(Failure) {
        if let code = Descriptor.write(bytes, to: descriptor) { throw Failure(code: code) }
    }

    /// Takes away what is behind a number of bytes.
    package func truncate(to count: Int) throws(Failure) {
        guard ftruncate(descriptor, off_t(count)) == 0 else { throw Failure(code: errno) }
    }

    /// Waits until the file stands on the disk.
    package func synchronize() throws(Failure) {
        guard fsync(descriptor) == 0 else { throw Failure(code: errno) }
    }

    /// Removes a file, if there is one.
    package static func remove(_ path: String) {
        _ = unsafe unlink(path)
    }

    /// A file that cannot be written.
    package struct Failure: Error, Hashable, CustomStringConvertible {
        /// The system's number; none for what is no file of a disk.
        private let code: CInt?

        static let noFile = Failure(code: nil)

        init(code: CInt?) {
            self.code = code
        }

        /// Whether nothing is at the path.
        package var isMissing: Bool { code == ENOENT }
        /// Why, in the system's words.
        package var description: String { code.map(SystemError.text) ?? "It is no file of a disk" }
    }
}

private func systemOpen(_ path: String, _ flags: CInt) -> CInt {
    unsafe open(path, flags, mode_t(0o600))
}

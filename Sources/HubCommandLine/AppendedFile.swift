#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif
import HubLock

/// An append-only file. A new file can be read only by its owner.
///
/// Appended bytes survive a crash of the process. Bytes appended before ``synchronize()`` also survive a crash of the machine.
package final class AppendedFile: Sendable {
    private let descriptor: CInt

    /// A way to open a file.
    package enum Mode: Sendable {
        /// Creates the file, and fails if the path exists.
        case create
        /// Opens the file, and fails if the path does not exist.
        case open
        /// Opens the file, or creates it if the path does not exist.
        case openOrCreate
    }

    /// Opens or creates a file.
    ///
    /// - Throws: ``WriteError``, also for a pipe or a device, which cannot be read back or synchronized; for a symbolic link; and
    ///   for a relative path through one. The current directory can contain another person's links to files elsewhere.
    package init(path: String, _ mode: Mode) throws(WriteError) {
        try Self.checkDirectories(of: path)
        let flags =
            switch mode {
            case .create: O_CREAT | O_EXCL
            case .open: CInt(0)
            case .openOrCreate: O_CREAT
            }
        descriptor = try Self.open(path, flags | O_NOFOLLOW | O_RDWR | O_APPEND | O_CLOEXEC)
        guard Descriptor.isRegular(descriptor) else { throw .notRegular }
    }

    private static func checkDirectories(of path: String) throws(WriteError) {
        guard !path.hasPrefix("/") else { return }
        for end in path.indices where path[end] == "/" {
            var status = stat()
            let isLink = unsafe lstat(String(path[..<end]), &status) == 0 && status.st_mode & S_IFMT == S_IFLNK
            if isLink { throw WriteError(code: ELOOP) }
        }
    }

    private static func open(_ path: String, _ flags: CInt) throws(WriteError) -> CInt {
        guard !path.utf8.contains(0) else { throw WriteError(code: ENOENT) }
        let descriptor = systemOpen(path, flags)
        guard descriptor >= 0 else { throw WriteError(code: errno) }
        return descriptor
    }

    deinit {
        // A child that is being started has a copy of the descriptor, which would hold the lock.
        _ = flock(descriptor, LOCK_UN)
        _ = close(descriptor)
    }

    /// The size of the file.
    package var byteCount: Int { Int(Descriptor.status(descriptor)?.st_size ?? 0) }

    /// Returns a reader of the file, which starts at its first byte.
    package func reader() throws(WriteError) -> InputFile {
        let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
        guard copy >= 0, lseek(copy, 0, SEEK_SET) == 0 else { throw WriteError(code: errno) }
        return InputFile(owning: copy)
    }

    /// Whether the file is empty.
    package var isEmpty: Bool { byteCount == 0 }

    /// Locks the file for this process.
    ///
    /// - Returns: Whether the lock was free and the file still has a path.
    package func lock() -> Bool {
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else { return false }
        return Descriptor.status(descriptor).map { $0.st_nlink > 0 } ?? false
    }

    /// Lets only the owner, who must be the process's user, read and change the file.
    package func makePrivate() throws(WriteError) {
        guard Descriptor.status(descriptor)?.st_uid == geteuid() else { throw WriteError(code: EPERM) }
        guard fchmod(descriptor, 0o600) == 0 else { throw WriteError(code: errno) }
    }

    /// Appends bytes to the file.
    package func append(_ bytes: [UInt8]) throws(WriteError) {
        if let code = Descriptor.write(bytes, to: descriptor) { throw WriteError(code: code) }
    }

    /// Makes the file the process's standard output.
    func redirectStandardOutput() -> Descriptor.Redirection {
        Descriptor.Redirection(of: STDOUT_FILENO, to: descriptor)
    }

    /// Truncates the file to a number of bytes.
    package func truncate(to count: Int) throws(WriteError) {
        guard ftruncate(descriptor, off_t(count)) == 0 else { throw WriteError(code: errno) }
    }

    /// Flushes the file to disk.
    package func synchronize() throws(WriteError) {
        guard synchronizeFile(descriptor) else { throw WriteError(code: errno) }
    }

    /// Removes a file if it exists.
    package static func remove(_ path: String) {
        _ = unsafe unlink(path)
    }

    /// A file that cannot be opened or written.
    package struct WriteError: Error, Hashable, CustomStringConvertible {
        /// The error number, or `nil` if the file is not a regular file.
        private let code: CInt?

        static let notRegular = WriteError(code: nil)

        init(code: CInt?) {
            self.code = code
        }

        /// Whether the file does not exist.
        package var isMissing: Bool { code == ENOENT }
        /// Whether the file exists, and the mode required that it does not.
        package var isExisting: Bool { code == EEXIST }
        package var description: String {
            switch code {
            case nil: "not a regular file"
            case ELOOP?: "the path contains a symbolic link: pass the path of its target"
            case let code?: SystemError.text(code)
            }
        }
    }
}

private func systemOpen(_ path: String, _ flags: CInt) -> CInt {
    unsafe open(path, flags, mode_t(0o600))
}

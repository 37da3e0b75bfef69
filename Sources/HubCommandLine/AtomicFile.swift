#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Atomic replacement of files: a reader sees either the old or the new content, even if this process crashes.
package enum AtomicFile {
    /// Replaces the file at a path. Only the owner can read the new file.
    ///
    /// - Throws: ``AppendedFile/WriteError``, also for symbolic links: see ``AppendedFile/init(path:_:)``.
    package static func write(_ bytes: [UInt8], to path: String) throws(AppendedFile.WriteError) {
        var replacement = try Replacement(of: path)
        try replacement.file.append(bytes)
        try replacement.commit()
    }

    /// Replaces the file at a path with the bytes that a closure appends. Only the owner can read the new file.
    ///
    /// - Throws: ``AppendedFile/WriteError``, as ``write(_:to:)``, and errors of the function.
    package static func write(to path: String, _ body: (AppendedFile) async throws -> Void) async throws {
        var replacement = try Replacement(of: path)
        try await body(replacement.file)
        try replacement.commit()
    }

    /// Checks that a file can be written to a path, by creating and removing a temporary file next to it.
    package static func check(path: String) throws(AppendedFile.WriteError) {
        _ = try Replacement(of: path)
    }

    /// A temporary file next to the file that it replaces when it is complete. It is removed if it is not committed.
    struct Replacement: ~Copyable {
        private let path: String
        let temporaryPath: String
        let file: AppendedFile
        private var isCommitted = false

        init(of path: String) throws(AppendedFile.WriteError) {
            try AtomicFile.checkTarget(path)
            let temporaryPath = "\(path).\(getpid()).new"
            // A file with this name was left by a process that has ended.
            AppendedFile.remove(temporaryPath)
            file = try AppendedFile(path: temporaryPath, .create)
            (self.path, self.temporaryPath) = (path, temporaryPath)
        }

        deinit {
            if !isCommitted { AppendedFile.remove(temporaryPath) }
        }

        /// Replaces the file with what was written.
        mutating func commit() throws(AppendedFile.WriteError) {
            try file.synchronize()
            try AtomicFile.rename(temporaryPath, to: path)
            isCommitted = true
        }
    }

    /// Gives a file another path, and replaces the file there.
    static func rename(_ path: String, to other: String) throws(AppendedFile.WriteError) {
        guard systemRename(path, other) == 0 else { throw AppendedFile.WriteError(code: errno) }
    }

    /// Gives a file the permissions of another one, if that exists.
    static func copyPermissions(of path: String, to other: String) {
        var status = stat()
        if unsafe stat(path, &status) == 0 { _ = unsafe chmod(other, status.st_mode & 0o777) }
    }

    /// Checks that a path names no file, or a regular file.
    private static func checkTarget(_ path: String) throws(AppendedFile.WriteError) {
        var status = stat()
        guard unsafe lstat(path, &status) == 0 else {
            if errno == ENOENT { return }
            throw AppendedFile.WriteError(code: errno)
        }
        switch status.st_mode & S_IFMT {
        case S_IFREG: return
        case S_IFLNK: throw AppendedFile.WriteError(code: ELOOP)
        default: throw .notRegular
        }
    }
}

private func systemRename(_ from: String, _ to: String) -> CInt {
    unsafe rename(from, to)
}

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Atomic replacement of files: a reader sees either the old or the new content, even if this process crashes.
package enum AtomicFile {
    /// Replaces the file at a path, following symbolic links. Only the owner can read the new file.
    package static func write(_ bytes: [UInt8], to path: String) throws(AppendedFile.WriteError) {
        let path = try target(of: path)
        let (temporaryPath, file) = try makeTemporaryFile(for: path)
        do throws(AppendedFile.WriteError) {
            try file.append(bytes)
            try file.synchronize()
            try rename(temporaryPath, to: path)
        } catch {
            AppendedFile.remove(temporaryPath)
            throw error
        }
    }

    /// Checks that a file can be written to a path, by creating and removing a temporary file next to it.
    package static func check(path: String) throws(AppendedFile.WriteError) {
        AppendedFile.remove(try makeTemporaryFile(for: try target(of: path)).path)
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

    /// Returns the path after following symbolic links.
    ///
    /// - Throws: ``AppendedFile/WriteError`` if the path names anything other than a regular file, which the
    ///   replacement would destroy.
    static func target(of path: String) throws(AppendedFile.WriteError) -> String {
        var status = stat()
        guard unsafe lstat(path, &status) == 0 else {
            if errno == ENOENT { return path }
            throw AppendedFile.WriteError(code: errno)
        }
        if status.st_mode & S_IFMT == S_IFREG { return path }
        guard status.st_mode & S_IFMT == S_IFLNK else { throw .notRegular }
        guard let target = unsafe realpath(path, nil) else { throw AppendedFile.WriteError(code: errno) }
        defer { unsafe free(target) }
        return try Self.target(of: unsafe String(cString: target))
    }

    /// Creates a temporary file next to the file to replace.
    static func makeTemporaryFile(
        for path: String
    ) throws(AppendedFile.WriteError) -> (path: String, file: AppendedFile) {
        let temporaryPath = "\(path).\(getpid()).new"
        // A file with this name was left by a process that has ended.
        AppendedFile.remove(temporaryPath)
        return (temporaryPath, try AppendedFile(path: temporaryPath, .create))
    }
}

private func systemRename(_ from: String, _ to: String) -> CInt {
    unsafe rename(from, to)
}

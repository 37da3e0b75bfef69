#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Replaces files atomically: a reader finds the old content or the new one, however this process ends.
package enum ReplacedFile {
    /// Replaces the file at a path, or at the end of a link there. Only its owner can read it.
    package static func write(_ bytes: [UInt8], to path: String) throws(AppendedFile.Failure) {
        let path = try target(of: path)
        let (draft, file) = try newDraft(of: path)
        do throws(AppendedFile.Failure) {
            try file.append(bytes)
            try file.synchronize()
            guard systemRename(draft, path) == 0 else { throw AppendedFile.Failure(code: errno) }
        } catch {
            AppendedFile.remove(draft)
            throw error
        }
    }

    /// Checks that a file could be written to a path now.
    package static func check(path: String) throws(AppendedFile.Failure) {
        AppendedFile.remove(try newDraft(of: try target(of: path)).path)
    }

    /// The end of a path's links: a regular file, or nothing. Any other kind of file would be lost.
    private static func target(of path: String) throws(AppendedFile.Failure) -> String {
        var status = stat()
        guard unsafe lstat(path, &status) == 0 else {
            if errno == ENOENT { return path }
            throw AppendedFile.Failure(code: errno)
        }
        if status.st_mode & S_IFMT == S_IFREG { return path }
        guard status.st_mode & S_IFMT == S_IFLNK else { throw .noFile }
        guard let target = unsafe realpath(path, nil) else { throw AppendedFile.Failure(code: errno) }
        defer { unsafe free(target) }
        return try Self.target(of: unsafe String(cString: target))
    }

    /// A new file next to the one to replace.
    private static func newDraft(of path: String) throws(AppendedFile.Failure) -> (path: String, file: AppendedFile) {
        let draft = "\(path).\(getpid()).new"
        // A draft of this name is left of an ended process.
        AppendedFile.remove(draft)
        return (draft, try AppendedFile(path: draft, .nothing))
    }
}

private func systemRename(_ from: String, _ to: String) -> CInt {
    unsafe rename(from, to)
}

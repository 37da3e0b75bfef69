#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A file that is written as a whole: whoever reads it, and however this process ends, finds what was there before or what
/// is there now.
package enum ReplacedFile {
    /// Puts bytes in place of the file at a path, or the one that a link there leads to. The file is its owner's alone.
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

    /// Makes sure that a file could be written to a path now.
    package static func check(path: String) throws(AppendedFile.Failure) {
        AppendedFile.remove(try newDraft(of: try target(of: path)).path)
    }

    /// Where a path leads to: to a file, or to nothing. All else would be lost.
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

    /// A file beside the one that is to be replaced.
    private static func newDraft(of path: String) throws(AppendedFile.Failure) -> (path: String, file: AppendedFile) {
        let draft = "\(path).\(getpid()).new"
        // One of the same number is left of a process that is no more.
        AppendedFile.remove(draft)
        return (draft, try AppendedFile(path: draft, .nothing))
    }
}

private func systemRename(_ from: String, _ to: String) -> CInt {
    unsafe rename(from, to)
}

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
    /// Puts bytes in place of what is at a path. The file is its owner's alone.
    package static func write(_ bytes: [UInt8], to path: String) throws(AppendedFile.Failure) {
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
        AppendedFile.remove(try newDraft(of: path).path)
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

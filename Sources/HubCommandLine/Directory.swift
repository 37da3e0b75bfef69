#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Operations on files and directories. Paths are bytes, not necessarily valid UTF-8.
package enum Directory {
    /// A kind of file.
    package enum Kind {
        case directory, file, other
    }

    /// Returns the kind of file at a path.
    package static func kind(of path: [UInt8], followingLinks: Bool) throws(InputFile.ReadError) -> Kind {
        var status = stat()
        let path = terminated(path)
        let result = followingLinks ? unsafe stat(path, &status) : unsafe lstat(path, &status)
        guard result == 0 else { throw InputFile.ReadError(code: errno) }
        return switch status.st_mode & S_IFMT {
        case S_IFDIR: .directory
        case S_IFREG: .file
        default: .other
        }
    }

    /// Returns the absolute path of an existing file, without symbolic links.
    package static func resolved(_ path: [UInt8]) throws(InputFile.ReadError) -> [UInt8] {
        guard let resolved = unsafe realpath(terminated(path), nil) else { throw InputFile.ReadError(code: errno) }
        defer { unsafe free(resolved) }
        return unsafe Array(UnsafeRawBufferPointer(start: resolved, count: strlen(resolved)))
    }

    /// The error for a file that does not exist.
    package static var missing: InputFile.ReadError { InputFile.ReadError(code: ENOENT) }

    /// Returns the names of a directory's entries, sorted by their bytes in descending order.
    package static func names(in path: [UInt8]) throws(InputFile.ReadError) -> [[UInt8]] {
        guard let directory = unsafe opendir(terminated(path)) else { throw InputFile.ReadError(code: errno) }
        defer { unsafe _ = closedir(directory) }
        var names: [[UInt8]] = []
        while true {
            errno = 0
            guard let entry = unsafe readdir(directory) else { break }
            let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                unsafe Array(bytes.prefix { $0 != 0 })
            }
            if name != Array(".".utf8), name != Array("..".utf8) { names.append(name) }
        }
        if errno != 0 { throw InputFile.ReadError(code: errno) }
        return names.sorted { $1.lexicographicallyPrecedes($0) }
    }

    private static func terminated(_ path: [UInt8]) -> [CChar] {
        (path.prefix { $0 != 0 } + [0]).map { CChar(bitPattern: $0) }
    }
}

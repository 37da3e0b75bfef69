#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The Git commit of the package's sources.
package enum SourceCommit {
    /// The commit that is checked out, with `-dirty` if tracked files are modified; `nil` unless the current directory is the
    /// package's repository.
    ///
    /// The program may be older: run it with `swift run`, which builds it first.
    package static var checkedOut: String? {
        let command = "test -d Benchmarks/signing-benchmark && git describe --always --dirty --abbrev=40 --exclude='*'"
        guard let pipe = unsafe popen("{ \(command); } 2>/dev/null", "r") else { return nil }
        var bytes: [UInt8] = []
        while case let byte = unsafe fgetc(pipe), byte >= 0 { bytes.append(UInt8(truncatingIfNeeded: byte)) }
        guard unsafe pclose(pipe) == 0, bytes.last == UInt8(ascii: "\n") else { return nil }
        return String(decoding: bytes.dropLast(), as: UTF8.self)
    }
}

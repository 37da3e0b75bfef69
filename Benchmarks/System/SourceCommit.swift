import HubCommandLine

/// The Git commit of the package's sources.
package enum SourceCommit {
    /// The commit that is checked out, with `-dirty` if tracked files are modified; `nil` unless the current directory is the
    /// package's repository.
    ///
    /// The program may be older: run it with `swift run`, which builds it first.
    package static var checkedOut: String? {
        let command = "test -d Benchmarks/signing-benchmark && git describe --always --dirty --abbrev=40 --exclude='*'"
        guard let process = try? PipedProcess(["sh", "-c", command].map { Array($0.utf8) }, showsErrors: false),
            let bytes = try? process.output.rest(upTo: 1000), process.hasSucceeded(),
            bytes.last == UInt8(ascii: "\n")
        else { return nil }
        return String(decoding: bytes.dropLast(), as: UTF8.self)
    }
}

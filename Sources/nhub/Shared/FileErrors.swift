import HubCommandLine

/// An error for a file that cannot be read.
struct FileReadError: Error, CustomStringConvertible {
    let what: String
    let reason: any Error

    init(what: String, reason: any Error) {
        (self.what, self.reason) = (what, reason)
    }

    /// Creates an error for a file that the user named, with its path unless that may be a secret.
    init(_ kind: String, _ path: String, reason: any Error) {
        self.init(what: Arguments.fileName(path).map { "\(kind) \($0)" } ?? kind, reason: reason)
    }

    var description: String { "cannot read \(what): \(reason)" }
}

/// An error for a file that cannot be written.
struct FileWriteError: Error, CustomStringConvertible {
    let what: String
    let reason: AppendedFile.WriteError

    var description: String { "cannot write \(what): \(reason)" }
}

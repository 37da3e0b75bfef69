import HubCommandLine

/// An error for a file that cannot be read.
struct FileReadError: Error, CustomStringConvertible {
    let what: String
    let reason: any Error

    var description: String { "cannot read \(what): \(reason)" }
}

/// An error for a file that cannot be written.
struct FileWriteError: Error, CustomStringConvertible {
    let what: String
    let reason: AppendedFile.WriteError

    var description: String { "cannot write \(what): \(reason)" }
}

/// A file that receives what the process writes to standard output, and that replaces another file when it is complete.
package struct OutputFile: ~Copyable {
    private let path: String
    private let temporaryPath: String
    private let file: AppendedFile
    private let standardOutput: Descriptor.Redirection

    /// Redirects standard output to a temporary file next to the file at a path.
    ///
    /// - Throws: ``UsageError`` if no file can be created there.
    package init(path: String, of option: String) throws(UsageError) {
        let temporary: (path: String, file: AppendedFile)
        do throws(AppendedFile.WriteError) {
            try AtomicFile.checkTarget(path)
            temporary = try AtomicFile.makeTemporaryFile(for: path)
        } catch {
            throw UsageError("\(option): cannot write the file: \(error)")
        }
        self.path = path
        (temporaryPath, file) = temporary
        AtomicFile.copyPermissions(of: path, to: temporary.path)
        standardOutput = temporary.file.redirectStandardOutput()
    }

    deinit {
        standardOutput.end()
        // After a commit, the file has another name.
        AppendedFile.remove(temporaryPath)
    }

    /// Replaces the file with what was written.
    package func commit() throws(AppendedFile.WriteError) {
        try file.synchronize()
        try AtomicFile.rename(temporaryPath, to: path)
    }
}

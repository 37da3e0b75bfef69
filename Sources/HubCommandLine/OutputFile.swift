/// A file that receives what the process writes to standard output, and that replaces another file when it is complete.
package struct OutputFile: ~Copyable {
    private var replacement: AtomicFile.Replacement
    private let standardOutput: Descriptor.Redirection

    /// Redirects standard output to a temporary file next to the file at a path.
    ///
    /// - Throws: ``UsageError`` if no file can be created there.
    package init(path: String, of option: OptionName) throws(UsageError) {
        do throws(AppendedFile.WriteError) {
            replacement = try AtomicFile.Replacement(of: path)
        } catch {
            throw UsageError("\(option): cannot write the file: \(error)")
        }
        AtomicFile.copyPermissions(of: path, to: replacement.temporaryPath)
        standardOutput = replacement.file.redirectStandardOutput()
    }

    deinit { standardOutput.end() }

    /// Replaces the file with what was written.
    package mutating func commit() throws(AppendedFile.WriteError) { try replacement.commit() }
}

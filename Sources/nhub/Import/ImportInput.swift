import HubCommandLine

/// The input of an import: a file, identified by its content, or standard input, which can be read only once.
struct ImportInput: Sendable {
    /// The file's path, or `-` for standard input.
    let path: String
    /// The properties of the file's content, or `nil` for standard input.
    let content: Content?

    /// The properties of a file's content.
    struct Content: Hashable, Sendable {
        let byteCount: Int
        /// The SHA-256 digest of the file, in hexadecimal.
        let digest: String
        let lineCount: Int
    }

    /// An error for a file that changed during its import.
    struct InputChangedError: Error, CustomStringConvertible {
        let description = "the file has changed since the import began"
    }

    /// Opens an input, and reads a file completely.
    ///
    /// - Throws: ``FileReadError``, or `UsageError` for a file that cannot be read again to resume the import.
    init(path: String) throws {
        self.path = path
        if path == "-" {
            content = nil
            return
        }
        do {
            let file = try InputFile(path: Array(path.utf8))
            guard file.isRegular else {
                throw UsageError("the input is not a regular file: pass - and redirect it to standard input")
            }
            content = try Self.content(of: file)
        } catch let error as InputFile.ReadError {
            throw FileReadError("the input", path, reason: error)
        }
    }

    /// Returns a reader of the input's lines.
    func lines() throws(FileReadError) -> LineReader {
        if path == "-" { return LineReader(.standardInput, maximumLength: ImportLine.maximumLength) }
        do {
            return LineReader(try InputFile(path: Array(path.utf8)), maximumLength: ImportLine.maximumLength)
        } catch {
            throw FileReadError("the input", path, reason: error)
        }
    }

    private static func content(of file: consuming InputFile) throws(InputFile.ReadError) -> Content {
        let lines = LineReader(file, maximumLength: 0)
        var lineCount = 0
        while try lines.next() != nil { lineCount += 1 }
        return Content(byteCount: lines.byteCount, digest: lines.digest, lineCount: lineCount)
    }
}

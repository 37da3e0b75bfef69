import HubCommandLine

/// The input of an import: a file, identified by its content, or standard input, which can be read only once.
struct ImportInput: Sendable {
    /// The file's path, or `-` for standard input.
    let path: String
    /// The format of the input.
    let format: DeviceFormat
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
    init(path: String, format: DeviceFormat = .json) throws {
        (self.path, self.format) = (path, format)
        if path == "-" {
            content = nil
            return
        }
        do {
            let file = try InputFile(path: Array(path.utf8))
            guard file.isRegular else {
                throw UsageError("the input is not a regular file: pass - and redirect it to standard input")
            }
            content = try Self.content(of: file, format)
        } catch let error as InputFile.ReadError {
            throw FileReadError("the input", path, reason: error)
        }
        // Before a journal is created.
        if format == .csv { _ = try table(try lines().next()) }
    }

    /// Returns the columns of a CSV file.
    ///
    /// - Parameter header: The first record; `nil` for an empty file.
    /// - Throws: ``FileReadError``.
    func table(_ header: LineReader.Line?) throws(FileReadError) -> DeviceTable {
        do {
            return try DeviceTable(header: header?.bytes ?? [])
        } catch {
            throw FileReadError("the input", path, reason: InvalidHeaderError(description: "line 1: \(error)"))
        }
    }

    /// An error for the first record of a CSV file.
    private struct InvalidHeaderError: Error, CustomStringConvertible {
        let description: String
    }

    /// Returns a reader of the input's lines.
    func lines() throws(FileReadError) -> LineReader {
        if path == "-" {
            return LineReader(.standardInput, maximumLength: ImportLine.maximumLength, format: format.lines)
        }
        do {
            return LineReader(
                try InputFile(path: Array(path.utf8)), maximumLength: ImportLine.maximumLength, format: format.lines)
        } catch {
            throw FileReadError("the input", path, reason: error)
        }
    }

    private static func content(of file: consuming InputFile, _ format: DeviceFormat) throws(InputFile.ReadError)
        -> Content
    {
        let lines = LineReader(file, maximumLength: 0, format: format.lines)
        var lineCount = 0
        while try lines.next() != nil { lineCount += 1 }
        return Content(byteCount: lines.byteCount, digest: lines.digest, lineCount: lineCount)
    }
}

import HubCommandLine
import HubCrypto

/// What is imported: a file, known again by its content, or standard input, which can be read but once.
struct ImportInput: Sendable {
    /// The file's path, or `-`.
    let path: String
    /// What the file holds; `nil` for standard input.
    let content: Content?

    /// What a file holds.
    struct Content: Hashable, Sendable {
        let byteCount: Int
        /// The SHA-256 of all bytes, in hexadecimal digits.
        let digest: String
        /// How many lines there are.
        let lineCount: Int
    }

    /// While it is imported, the file must stay as it is.
    struct Changed: Error, CustomStringConvertible {
        let description = "it has changed since the import began"
    }

    /// Looks at what is at a path, reading a file from end to end.
    ///
    /// - Throws: ``CannotRead``, and `UsageError` for what could not be read again to resume.
    init(path: String) throws {
        self.path = path
        if path == "-" {
            content = nil
            return
        }
        do {
            let file = try InputFile(path: Array(path.utf8))
            guard file.isRegular else {
                throw UsageError("the input is no file that can be read again; give - for it, and it by < or a pipe")
            }
            content = try Self.content(of: file)
        } catch let error as InputFile.Unreadable {
            throw CannotRead(what: "the input", reason: error)
        }
    }

    /// The lines from the first one on.
    func lines() throws(CannotRead) -> LineReader {
        if path == "-" { return LineReader(.standardInput, longest: ImportLine.longest) }
        do {
            return LineReader(try InputFile(path: Array(path.utf8)), longest: ImportLine.longest)
        } catch {
            throw CannotRead(what: "the input", reason: error)
        }
    }

    private static func content(of file: borrowing InputFile) throws(InputFile.Unreadable) -> Content {
        var hash = SHA256()
        var (byteCount, lineCount) = (0, 0)
        var chunk: [UInt8] = []
        var isLineOpen = false
        while try file.read(upTo: 1 << 18, into: &chunk) > 0 {
            hash.update(data: chunk)
            byteCount += chunk.count
            lineCount += chunk.count { $0 == UInt8(ascii: "\n") }
            isLineOpen = chunk.last != UInt8(ascii: "\n")
            chunk.removeAll(keepingCapacity: true)
        }
        return Content(
            byteCount: byteCount, digest: "\(hash.finalize())", lineCount: lineCount + (isLineOpen ? 1 : 0))
    }
}

/// A file that cannot be read, and what it is there for.
struct CannotRead: Error, CustomStringConvertible {
    let what: String
    let reason: any Error

    var description: String { "cannot read \(what): \(reason)" }
}

/// A file that cannot be written, and what it is there for.
struct CannotWrite: Error, CustomStringConvertible {
    let what: String
    let reason: AppendedFile.Failure

    var description: String { "cannot write \(what): \(reason)" }
}

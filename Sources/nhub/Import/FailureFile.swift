import HubCommandLine
import NotificationHubs

/// The file of what was not put: a JSON object a line, with the line's number, the reason and the line itself, so that it can be
/// mended and imported.
///
/// It is created with the first failure. A file that another import has left is never touched.
final class FailureFile {
    let path: String
    /// The lines that stand in it, of those that were asked for.
    private(set) var knownLines: Set<Int> = []
    private var file: AppendedFile?

    /// - Parameters:
    ///   - isOwn: whether an earlier part of this import has created the file.
    ///   - finished: the lines that the journal has. Of others it may be that the file has them already.
    /// - Throws: `UsageError` if another import's failures are there.
    init(path: String, isOwn: Bool, finished: FinishedLines) throws {
        self.path = path
        do {
            let present = try AppendedFile(path: path, .file)
            // An empty one is what is left of a process that ended just when it had created it.
            if isOwn || present.isEmpty {
                file = present
                try readBack(finished)
            } else {
                throw UsageError(
                    "\(path) is there already, with an earlier import's failures: mend and import it, or move it away")
            }
        } catch let error as AppendedFile.Failure where error.isMissing {
            // Somebody has taken it away, to mend it as a rule.
            file = nil
        } catch let error as AppendedFile.Failure {
            throw CannotWrite(what: path, reason: error)
        } catch let error as InputFile.Unreadable {
            throw CannotRead(what: path, reason: error)
        }
    }

    /// Whether there is such a file.
    var exists: Bool { file != nil }

    /// Looks for lines of which the journal does not know that they are in the file: the process may have ended in between. What
    /// a broken-off write has left is taken away.
    private func readBack(_ finished: FinishedLines) throws {
        let lines = LineReader(try InputFile(path: Array(path.utf8)), longest: ImportLine.longest * 8)
        var whole = 0
        while let line = try lines.next() {
            let json = try? JSONValue(parsing: line.bytes)
            if !line.isTerminated {
                // Whatever is whole stays: somebody may have mended it already.
                if json == nil { try file?.truncate(to: whole) } else { try file?.append([UInt8(ascii: "\n")]) }
            }
            if let number = json.flatMap(Self.number), !finished.contains(number) { knownLines.insert(number) }
            whole = line.endOffset
        }
    }

    private static func number(_ json: JSONValue) -> Int? {
        guard case .object(let object) = json, case .number(let number)? = object["line"] else { return nil }
        return Int(number.text)
    }

    /// Creates the file, unless it is there.
    ///
    /// - Throws: ``CannotWrite``, if another program has put one in its place.
    func create() throws {
        if file != nil { return }
        do {
            file = try AppendedFile(path: path, .nothing)
        } catch {
            throw CannotWrite(what: path, reason: error)
        }
    }

    /// Adds a failure.
    func add(_ line: Int, _ reason: String, _ content: ImportLine.Content) throws {
        do {
            try file?.append(Self.bytes(line, reason, content))
        } catch {
            throw CannotWrite(what: path, reason: error)
        }
    }

    /// Has what was added survive the end of the machine, too.
    func synchronize() throws {
        do {
            try file?.synchronize()
        } catch {
            throw CannotWrite(what: path, reason: error)
        }
    }

    /// A failure as it is written.
    static func bytes(_ line: Int, _ reason: String, _ content: ImportLine.Content) -> [UInt8] {
        var object = JSONOutput()
        object.add("line", Int64(line))
        object.add("error", reason)
        switch content {
        case .json(let bytes): object.add("installation", literal: String(decoding: bytes, as: UTF8.self))
        case .text(let text): object.add("text", text)
        }
        return object.bytes + [UInt8(ascii: "\n")]
    }
}

/// Which lines of a file are finished: all up to a mark, and some above it.
///
/// It takes no more room than there are finished lines above the first unfinished one.
struct FinishedLines: Hashable, Sendable {
    /// The last line before which, and with which, all are finished.
    private(set) var mark = 0
    private var above: Set<Int> = []

    /// How a line ended.
    enum Ending: String, CaseIterable, Sendable {
        case put, failed, blank
    }

    private var counts: [Ending: Int] = [:]

    /// How many lines ended in a certain way.
    func count(_ ending: Ending) -> Int { counts[ending, default: 0] }

    /// How many lines are finished.
    var count: Int { mark + above.count }

    /// Whether a line is finished.
    func contains(_ line: Int) -> Bool {
        line <= mark || above.contains(line)
    }

    /// Takes note that a line is finished; a line that is already stays as it is.
    mutating func insert(_ line: Int, _ ending: Ending) {
        guard line > mark, above.insert(line).inserted else { return }
        counts[ending, default: 0] += 1
        while above.remove(mark + 1) != nil { mark += 1 }
    }
}

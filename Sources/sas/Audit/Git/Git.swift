import HubCommandLine
import HubText

/// The git commands that list what to audit.
enum Git {
    /// A file's content in a repository.
    struct Blob: Hashable {
        /// The object name in hexadecimal digits.
        let id: [UInt8]
        let path: [UInt8]
        /// The commit that added the content; `nil` for the index.
        let commit: Commit?
    }

    /// A commit.
    struct Commit: Hashable {
        let id: String
        /// The author's time, in seconds since 1970 UTC.
        let authorTime: Int64
    }

    /// An error for a git command that fails.
    struct CommandError: Error, CustomStringConvertible {
        let description: String
    }

    /// Returns the tracked and the untracked files of a directory that are not ignored, relative to it and in the order of
    /// their bytes. Returns `nil` outside a work tree, in an ignored directory, and without git.
    static func files(in directory: [UInt8]) -> [[UInt8]]? {
        let ignored = Array("check-ignore".utf8)
        let git = [Array("git".utf8), Array("-C".utf8), directory]
        if (try? lines(of: git + [ignored, Array("-q".utf8), Array(".".utf8)], showsErrors: false)) != nil {
            return nil
        }
        let options = ["ls-files", "-z", "--cached", "--others", "--exclude-standard"].map { Array($0.utf8) }
        guard let files = try? lines(of: git + options, showsErrors: false) else { return nil }
        return Set(files).sorted { $0.lexicographicallyPrecedes($1) }
    }

    /// Returns the added and changed files in the index.
    static func staged() throws -> [Blob] {
        try blobs(["diff", "--cached"] + raw, separator: [])
    }

    /// Returns the files that commits added and changed, the oldest commit first.
    ///
    /// - Parameter ranges: The revisions; all references if empty.
    static func history(_ ranges: [String]) throws -> [Blob] {
        let revisions = ranges.isEmpty ? ["--all"] : ["--end-of-options"] + ranges
        return try blobs(
            ["log", "--reverse", "-m", "--root", "--format=tformat:%H %at"] + raw + revisions, separator: ["--"])
    }

    /// The options for lists of files with complete object names.
    private static let raw = ["--raw", "-z", "--no-abbrev", "--no-renames", "--diff-filter=AMT", "--no-ext-diff"]

    private static func blobs(_ arguments: [String], separator: [String]) throws -> [Blob] {
        var blobs: [Blob] = []
        var commit: Commit?
        var id: [UInt8]?
        for line in try lines(of: (["git"] + arguments + separator).map { Array($0.utf8) }, showsErrors: true) {
            if let known = id {
                // Links and submodules have no content of their own.
                if !known.isEmpty { blobs.append(Blob(id: known, path: line, commit: commit)) }
                id = nil
                continue
            }
            let words = line.trimmed.split(separator: UInt8(ascii: " ")).map(Array.init)
            if words.count == 5, words[0].first == UInt8(ascii: ":") {
                id = words[1].starts(with: "100".utf8) ? words[3] : []
            } else if words.count == 2, let time = Int64(words[1].lossyText) {
                commit = Commit(id: words[0].lossyText, authorTime: time)
            }
        }
        return blobs
    }

    /// Returns the parts of a command's output that end with a zero byte.
    private static func lines(of command: [[UInt8]], showsErrors: Bool) throws -> [[UInt8]] {
        var process: PipedProcess
        do {
            process = try PipedProcess(command, showsErrors: showsErrors)
        } catch {
            throw CommandError(description: "cannot start git: \(error)")
        }
        process.closeInput()
        var lines: [[UInt8]] = []
        var rest: [UInt8] = []
        while try process.output.read(upTo: 65_536, into: &rest) > 0 {
            let parts = rest.split(separator: 0, omittingEmptySubsequences: false)
            lines += parts.dropLast().map(Array.init)
            rest = Array(parts.last ?? [])
        }
        guard process.hasSucceeded() else {
            throw CommandError(description: "git \(command[1].lossyText) failed")
        }
        return lines
    }
}

/// A process that returns the content of blobs.
struct BlobReader: ~Copyable {
    private let process: PipedProcess

    init() throws(ChildProcess.LaunchError) {
        process = try PipedProcess(["git", "cat-file", "--batch"].map { Array($0.utf8) }, showsErrors: true)
    }

    /// Calls `body` with a function that reads the next bytes of a blob. The rest is skipped.
    func read(_ blob: Git.Blob, _ body: (InputFile.Reader) throws -> Void) throws {
        guard process.write(blob.id + [UInt8(ascii: "\n")]) else { throw failure }
        var rest = try size(of: blob)
        try body { (count, bytes) throws(InputFile.ReadError) in
            guard rest > 0 else { return 0 }
            let count = try process.output.read(upTo: min(count, rest), into: &bytes)
            rest -= count
            return count
        }
        var skipped: [UInt8] = []
        rest += 1
        while rest > 0 {
            skipped.removeAll(keepingCapacity: true)
            let count = try process.output.read(upTo: min(65_536, rest), into: &skipped)
            guard count > 0 else { throw failure }
            rest -= count
        }
    }

    /// Reads the line `ID blob SIZE` that precedes a content.
    private func size(of blob: Git.Blob) throws -> Int {
        var line: [UInt8] = []
        while line.last != UInt8(ascii: "\n") {
            guard try process.output.read(upTo: 1, into: &line) > 0 else { throw failure }
        }
        let words = line.trimmed.split(separator: UInt8(ascii: " "))
        guard words.count == 3, words[0].elementsEqual(blob.id), let size = Int(words[2].lossyText) else {
            throw failure
        }
        return size
    }

    private var failure: Git.CommandError { Git.CommandError(description: "git cat-file failed") }
}

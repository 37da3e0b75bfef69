import HubCommandLine
import HubText
import HubTokenScanner

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

    /// The files of a directory that git does not ignore.
    enum Listing {
        /// The tracked files and the others, relative to the directory and in the order of their bytes.
        case files([[UInt8]])
        /// The directory is outside a work tree, or is ignored as a whole.
        case everything
        /// Git is missing, or refuses to use the repository.
        case failed
    }

    /// Lists the files of a directory.
    static func listing(of directory: [UInt8]) -> Listing {
        if isIgnored(directory) { return .everything }
        let options = ["ls-files", "-z", "--cached", "--others", "--exclude-standard"].map { Array($0.utf8) }
        guard
            let files = try? lines(of: [Array("git".utf8), Array("-C".utf8), directory] + options, showsErrors: false)
        else { return isWorkTree(directory) ? .failed : .everything }
        // In the empty directory of a submodule that is not checked out, git lists the directory itself.
        let others = Set(files).subtracting([Array("./".utf8)])
        return .files(others.sorted { $0.lexicographicallyPrecedes($1) })
    }

    /// Returns whether git ignores a directory.
    private static func isIgnored(_ directory: [UInt8]) -> Bool {
        let command =
            [Array("git".utf8), Array("-C".utf8), directory] + ["check-ignore", "-q", "."].map { Array($0.utf8) }
        return (try? lines(of: command, showsErrors: false)) != nil
    }

    /// Returns the added and changed files in the index.
    static func staged() throws -> [Blob] {
        try requireRepository()
        return try blobs(["diff", "--cached"] + raw, separator: [])
    }

    /// Returns the files that commits added and changed, the oldest commit first.
    ///
    /// - Parameter ranges: The revisions; all references if empty.
    static func history(_ ranges: [String]) throws -> [Blob] {
        // Git's message would contain a misplaced secret.
        guard !ranges.contains(where: { Redacted.mayContainSecret($0.utf8) }) else {
            throw UsageError("--git-history: invalid revision (redacted: may contain a key or a signature)")
        }
        try requireRepository()
        let revisions = ranges.isEmpty ? ["--all"] : ["--end-of-options"] + ranges
        return try blobs(
            ["log", "--reverse", "--diff-merges=separate", "--no-show-signature", "--root", "--format=tformat:%H %at"]
                + raw + revisions, separator: ["--"])
    }

    /// Returns whether a directory is in a work tree, or in one that git refuses to use.
    private static func isWorkTree(_ directory: [UInt8]) -> Bool {
        var path = directory
        // The root of the file system is its own parent.
        for _ in 0..<64 {
            if (try? Directory.kind(of: path + Array(".git".utf8), followingLinks: true)) != nil { return true }
            path += Array("../".utf8)
        }
        return false
    }

    private static func requireRepository() throws {
        let command = ["git", "rev-parse", "--git-dir"].map { Array($0.utf8) }
        if (try? lines(of: command, showsErrors: false)) == nil {
            throw CommandError(description: "git finds no repository here, or refuses to use it: run git status")
        }
    }

    /// The options for lists of files with complete object names.
    private static let raw = [
        "--raw", "-z", "--no-abbrev", "--no-renames", "--diff-filter=AMT", "--no-ext-diff", "--no-relative",
    ]

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
            } else {
                throw CommandError(description: "unexpected output of git \(arguments[0])")
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
    ///
    /// - Throws: `Directory.missing` if the repository does not contain the blob, as in a partial clone.
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
        if words.last?.elementsEqual("missing".utf8) ?? false { throw Directory.missing }
        guard words.count == 3, words[0].elementsEqual(blob.id), let size = Int(words[2].lossyText) else {
            throw failure
        }
        return size
    }

    private var failure: Git.CommandError { Git.CommandError(description: "git cat-file failed") }
}

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
        /// The directory is outside a work tree, is git's own, or is ignored as a whole.
        case everything
        /// Git is missing, or refuses to use the repository.
        case failed
    }

    /// Lists the files of a directory.
    ///
    /// The innermost work tree that contains the directory decides which untracked files are ignored. The files that an outer
    /// work tree tracks are listed, too. Repositories below the directory have no influence.
    static func listing(of directory: [UInt8]) -> Listing {
        guard let directory = try? Directory.resolved(directory) else { return .everything }
        if directory.split(separator: UInt8(ascii: "/")).contains(where: { $0.elementsEqual(".git".utf8) }) {
            return .everything
        }
        var repositories = workTrees(around: directory).map { Repository(workTree: $0) }
        guard let repository = repositories.popLast() else { return .everything }
        if repository.ignores(directory) { return .everything }
        guard let files = repository.files(of: directory, ["--cached", "--others", "--exclude-standard"]) else {
            return .failed
        }
        var all = Set(files)
        for outer in repositories {
            guard let files = outer.files(of: directory, ["--cached"]) else { return .failed }
            all.formUnion(files)
        }
        return .files(all.sorted { $0.lexicographicallyPrecedes($1) })
    }

    /// Returns the ancestors of a directory, and itself, that contain `.git`, the outermost first.
    private static func workTrees(around directory: [UInt8]) -> [[UInt8]] {
        let slash = UInt8(ascii: "/")
        let ends = directory.indices.filter { directory[$0] == slash && $0 > 0 } + [directory.count]
        let ancestors = [[slash]] + ends.map { Array(directory[..<$0]) }
        return ancestors.filter { (try? Directory.kind(of: $0 + Array("/.git".utf8), followingLinks: true)) != nil }
    }

    /// Returns the added and changed files in the index.
    static func staged() throws -> [Blob] {
        try repository().blobs(["diff", "--cached"] + raw, separator: [])
    }

    /// Returns the files that commits added and changed, the oldest commit first.
    ///
    /// - Parameter ranges: The revisions; all references if empty.
    static func history(_ ranges: [String]) throws -> [Blob] {
        // Git's message would contain a misplaced secret.
        guard !ranges.contains(where: { Redacted.mayContainSecret($0.utf8) }) else {
            throw UsageError("--git-history: invalid revision (redacted: may contain a key or a signature)")
        }
        let revisions = ranges.isEmpty ? ["--all"] : ["--end-of-options"] + ranges
        return try repository().blobs(
            ["log", "--reverse", "--diff-merges=separate", "--no-show-signature", "--root", "--format=tformat:%H %at"]
                + raw + revisions, separator: ["--"])
    }

    /// Returns the repository that `GIT_DIR` names, as in a hook, or whose work tree contains the current directory.
    static func repository() throws -> Repository {
        let isNamed = Environment.bytes(of: "GIT_DIR") != nil
        let directory = try Directory.resolved([UInt8(ascii: ".")])
        let repository = Repository(
            workTree: isNamed ? nil : workTrees(around: directory).last, usesHookVariables: true)
        guard isNamed || repository.workTree != nil, repository.isUsable else {
            throw CommandError(
                description: "git finds no repository here, or refuses to use it: run git status; "
                    + "for a bare repository, set GIT_DIR")
        }
        return repository
    }

    /// The options for lists of files with complete object names.
    private static let raw = [
        "--raw", "-z", "--no-abbrev", "--no-renames", "--diff-filter=AMT", "--no-ext-diff", "--no-relative",
    ]
}

/// A process that returns the content of blobs.
struct BlobReader: ~Copyable {
    private let process: PipedProcess

    init(_ repository: Repository) throws {
        process = try repository.start(["cat-file", "--batch"], showsErrors: true)
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

import HubCommandLine

/// The files of a directory and its subdirectories that an audit searches.
struct FileTree {
    /// The patterns of files and directories to skip.
    let excluded: [Glob]
    /// Whether to search untracked files that git ignores.
    let includesIgnored: Bool

    /// Returns whether a path is excluded. Patterns apply to the path and to its part below an operand.
    func excludes(_ path: [UInt8]) -> Bool { excluded.contains { $0.matches(path) } }

    /// Calls `body` with a file, or with each file in a directory, in the order of their paths.
    ///
    /// In directories, `.git`, symbolic links and files that are not regular are skipped, and untracked files that git
    /// ignores. A path that cannot be read is passed with the error.
    func forEachFile(at path: [UInt8], _ body: ([UInt8], InputFile.ReadError?) throws -> Void) throws {
        if excludes(path) { return }
        let kind: Directory.Kind
        do {
            kind = try Directory.kind(of: path, followingLinks: true)
        } catch {
            return try body(path, error)
        }
        guard kind == .directory else { return try body(path, nil) }
        try Walk(tree: self, root: path.last == Self.separator ? path : path + [Self.separator], operand: path)
            .visitOperand(body)
    }

    fileprivate static let separator = UInt8(ascii: "/")
}

/// A visit of the files below an operand. Paths are relative to it.
private struct Walk {
    let tree: FileTree
    /// The operand with a trailing slash.
    let root: [UInt8]
    /// The operand, to name it in errors.
    let operand: [UInt8]

    typealias Body = ([UInt8], InputFile.ReadError?) throws -> Void

    /// Calls `body` with each file below the operand.
    func visitOperand(_ body: Body) throws {
        if !tree.includesIgnored {
            switch Git.listing(of: root) {
            case .files(let files):
                for file in files { try visit(file, body) }
                return
            case .everything: break
            case .failed:
                Console.error("sas: warning: git failed, so ignored files are searched, too: run git status")
            }
        }
        try visitEntries(of: [], body)
    }

    /// Calls `body` with each file in a directory and its subdirectories, without git. The path is empty or ends with a slash.
    private func visitEntries(of directory: [UInt8], _ body: Body) throws {
        do {
            let path = directory.isEmpty ? operand : root + directory
            // The names are in descending order.
            for name in try Directory.names(in: path).reversed() where !name.elementsEqual(".git".utf8) {
                try visit(directory + name, body)
            }
        } catch let error as InputFile.ReadError {
            try body(directory.isEmpty ? operand : root + directory, error)
        }
    }

    /// Calls `body` with a regular file, or with the files of a directory.
    ///
    /// A directory that git lists is a submodule or another repository. Its own ignored files are searched, too.
    private func visit(_ path: [UInt8], _ body: Body) throws {
        if tree.excludes(path) || tree.excludes(root + path) { return }
        do {
            switch try Directory.kind(of: root + path, followingLinks: false) {
            case .file: try body(root + path, nil)
            case .directory:
                try visitEntries(of: path.last == FileTree.separator ? path : path + [FileTree.separator], body)
            case .other: return
            }
        } catch let error as InputFile.ReadError {
            // An entry can be removed after its directory was read.
            if error != Directory.missing { try body(root + path, error) }
        }
    }
}

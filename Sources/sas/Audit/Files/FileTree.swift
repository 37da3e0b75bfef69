import HubCommandLine

/// The files of a directory and its subdirectories that an audit searches.
struct FileTree {
    /// The patterns of files and directories to skip.
    let excluded: [Glob]
    /// Whether to search untracked files that git ignores.
    let includesIgnored: Bool

    /// Returns whether a path is excluded.
    func excludes(_ path: [UInt8]) -> Bool { excluded.contains { $0.matches(path) } }

    /// Calls `body` with a file, or with each file in a directory, in the order of their paths.
    ///
    /// In directories, `.git`, symbolic links and files that are not regular are skipped, and untracked files that git
    /// ignores. A path that cannot be read is passed with the error.
    func forEachFile(at path: [UInt8], _ body: ([UInt8], InputFile.ReadError?) throws -> Void) throws {
        do {
            guard try Directory.kind(of: path, followingLinks: true) == .directory else { return try body(path, nil) }
        } catch let error as InputFile.ReadError {
            return try body(path, error)
        }
        let separator = path.last == UInt8(ascii: "/") ? [] : [UInt8(ascii: "/")]
        try forEachFile(in: path + separator, root: path, body)
    }

    /// Calls `body` with each file in a directory.
    ///
    /// - Parameters:
    ///   - directory: The path with a trailing slash.
    ///   - root: The path to name in errors.
    private func forEachFile(
        in directory: [UInt8], root: [UInt8], _ body: ([UInt8], InputFile.ReadError?) throws -> Void
    ) throws {
        if !includesIgnored, let files = Git.files(in: directory) {
            for file in files where !excludes(file) { try visit(directory + file, relative: file, body) }
            return
        }
        // The paths relative to the directory, in descending order.
        var pending: [[UInt8]] = [[]]
        while let next = pending.popLast() {
            if !next.isEmpty {
                do {
                    if try Directory.kind(of: directory + next, followingLinks: false) != .directory {
                        try visit(directory + next, relative: next, body)
                        continue
                    }
                } catch let error as InputFile.ReadError {
                    // An entry can be removed after its directory was read.
                    if error != Directory.missing { try body(directory + next, error) }
                    continue
                }
            }
            do {
                let prefix = next.isEmpty ? [] : next + [UInt8(ascii: "/")]
                let names = try Directory.names(in: next.isEmpty ? root : directory + next)
                pending += names.filter { !$0.elementsEqual(".git".utf8) }.map { prefix + $0 }.filter { !excludes($0) }
            } catch {
                try body(next.isEmpty ? root : directory + next, error)
            }
        }
    }

    /// Calls `body` with a regular file, or with the files of a submodule or another repository.
    private func visit(
        _ path: [UInt8], relative: [UInt8], _ body: ([UInt8], InputFile.ReadError?) throws -> Void
    ) throws {
        do {
            switch try Directory.kind(of: path, followingLinks: false) {
            case .file: try body(path, nil)
            case .directory:
                try forEachFile(in: path.last == UInt8(ascii: "/") ? path : path + Array("/".utf8), root: path, body)
            case .other: return
            }
        } catch let error as InputFile.ReadError {
            if error != Directory.missing { try body(path, error) }
        }
    }
}

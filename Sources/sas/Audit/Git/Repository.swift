import HubCommandLine
import HubText

/// A repository, and the only function that starts git.
///
/// A repository can be hostile. The options and the environment disable the settings of a repository that run programs, use the
/// network, or make git read another work tree. The user's own configuration still applies, for `safe.directory`.
struct Repository {
    /// The work tree's absolute path, or `nil` for the repository that the environment names.
    let workTree: [UInt8]?
    /// Whether the variables apply by which git names the repository, the index and new objects to a hook.
    var usesHookVariables = false

    /// Whether git accepts the repository.
    var isUsable: Bool { (try? lines(of: ["rev-parse", "--git-dir"], showsErrors: false)) != nil }

    /// Returns whether git ignores a directory of the work tree.
    func ignores(_ directory: [UInt8]) -> Bool {
        let path = relativePath(of: directory)
        // Git never ignores the root of a work tree, and does not accept it here.
        let operand = Array("./".utf8) + path
        return !path.isEmpty && (try? lines(of: ["check-ignore", "-q", "--"], [operand], showsErrors: false)) != nil
    }

    /// Returns files in a directory of the work tree, relative to it, or `nil` if git fails.
    func files(of directory: [UInt8], _ options: [String]) -> [[UInt8]]? {
        let path = relativePath(of: directory)
        let prefix = path.isEmpty ? [] : path + [UInt8(ascii: "/")]
        let arguments = ["ls-files", "-z"] + options + ["--"]
        let operands = path.isEmpty ? [] : [Array(":(literal)".utf8) + path]
        let files = try? lines(of: arguments, operands, showsErrors: false)
        return files?.filter { $0.starts(with: prefix) && $0.count > prefix.count }.map { Array($0[prefix.count...]) }
    }

    private func relativePath(of directory: [UInt8]) -> [UInt8] {
        Array(directory.dropFirst(workTree?.count ?? 0).drop { $0 == UInt8(ascii: "/") })
    }

    /// Starts git.
    ///
    /// - Parameter paths: The last arguments.
    func start(_ arguments: [String], _ paths: [[UInt8]] = [], showsErrors: Bool) throws -> PipedProcess {
        var command = ["git", "--no-pager"].map { Array($0.utf8) }
        var environment = Self.environment
        if let workTree {
            command += [Array("-C".utf8), workTree, Array("--work-tree=".utf8) + workTree]
            // If this repository is invalid, git must not use one further up.
            let end = workTree.lastIndex(of: UInt8(ascii: "/")) ?? 0
            environment["GIT_CEILING_DIRECTORIES"] = workTree[..<end].lossyText
        }
        command += Self.settings.flatMap { ["-c", $0] }.map { Array($0.utf8) }
        command += arguments.map { Array($0.utf8) } + paths
        do {
            return try PipedProcess(
                command, environment: environment,
                inheriting: Self.inherited + (usesHookVariables ? Self.hookVariables : []), showsErrors: showsErrors)
        } catch {
            throw Git.CommandError(description: "cannot start git: \(error)")
        }
    }

    /// The settings that replace those of the repository (git-config(1)).
    private static let settings = [
        // A directory whose layout is that of a bare repository is not one.
        "safe.bareRepository=explicit",
        // Programs.
        "core.fsmonitor=false", "core.hooksPath=/dev/null", "core.sshCommand=false", "core.gitProxy=false",
        "core.askPass=false", "core.alternateRefsCommand=false", "credential.helper=", "diff.external=false",
        "gpg.program=false", "log.showSignature=false", "gc.auto=0", "maintenance.auto=false",
        "protocol.allow=never", "submodule.recurse=false",
        // Files that can hide commits or files, or that git would write.
        "core.commitGraph=false", "core.untrackedCache=false", "diff.orderFile=/dev/null", "log.mailmap=false",
        "advice.graftFileDeprecated=false",
    ]

    /// The variables that git runs with (git(1)).
    private static let environment = [
        "LC_ALL": "C", "GIT_ALLOW_PROTOCOL": "none", "GIT_NO_LAZY_FETCH": "1", "GIT_NO_REPLACE_OBJECTS": "1",
        "GIT_GRAFT_FILE": "/dev/null", "GIT_OPTIONAL_LOCKS": "0", "GIT_TERMINAL_PROMPT": "0",
    ]

    /// The variables that git needs to start and to find the user's configuration.
    private static let inherited = [
        "PATH", "HOME", "XDG_CONFIG_HOME", "GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM", "TMPDIR",
        "SUDO_UID", "DEVELOPER_DIR", "SDKROOT",
    ]

    private static let hookVariables = [
        "GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY", "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    ]

    /// Returns the contents that a command lists.
    func blobs(_ arguments: [String], separator: [String]) throws -> [Git.Blob] {
        var blobs: [Git.Blob] = []
        var commit: Git.Commit?
        var id: [UInt8]?
        for line in try lines(of: arguments + separator, showsErrors: true) {
            if let known = id {
                // Links and submodules have no content of their own.
                if !known.isEmpty { blobs.append(Git.Blob(id: known, path: line, commit: commit)) }
                id = nil
                continue
            }
            let words = line.trimmed.split(separator: UInt8(ascii: " ")).map(Array.init)
            if words.count == 5, words[0].first == UInt8(ascii: ":") {
                id = words[1].starts(with: "100".utf8) ? words[3] : []
            } else if words.count == 2, let time = Int64(words[1].lossyText) {
                commit = Git.Commit(id: words[0].lossyText, authorTime: time)
            } else {
                throw Git.CommandError(description: "unexpected output of git \(arguments[0])")
            }
        }
        return blobs
    }

    /// Returns the parts of a command's output that end with a zero byte.
    private func lines(of arguments: [String], _ paths: [[UInt8]] = [], showsErrors: Bool) throws -> [[UInt8]] {
        var process = try start(arguments, paths, showsErrors: showsErrors)
        process.closeInput()
        var lines: [[UInt8]] = []
        var rest: [UInt8] = []
        while try process.output.read(upTo: 65_536, into: &rest) > 0 {
            let parts = rest.split(separator: 0, omittingEmptySubsequences: false)
            lines += parts.dropLast().map(Array.init)
            rest = Array(parts.last ?? [])
        }
        guard process.hasSucceeded() else {
            throw Git.CommandError(description: "git \(arguments[0]) failed")
        }
        return lines
    }
}

import HubCommandLine
import HubText
import HubTokenScanner

/// `sas audit`: finds tokens, connection strings and keys in files.
enum AuditCommand {
    static func run(_ arguments: consuming Arguments) throws -> ExitStatus {
        let allowed = try allowed(&arguments)
        let report = AuditReport(
            asJSON: arguments.flag("--json"), now: try TimeOptions.now(&arguments) ?? Clock.now())
        let operands = try arguments.operands()

        var audit = Audit(report: report, allowed: allowed)
        for operand in operands.isEmpty ? ["-"] : operands {
            if operand == "-" {
                try audit.search("-") { () throws(InputFile.ReadError) in InputFile.standardInput }
            } else {
                try audit.search(path: Array(operand.utf8))
            }
        }
        return audit.isIncomplete ? .unreadable : audit.hasFound ? .failure : .success
    }

    /// Parses the values of `--allow`: the fingerprints of secrets to ignore.
    private static func allowed(_ arguments: inout Arguments) throws(UsageError) -> Set<String> {
        let values = try arguments.values(of: "--allow").map { Array($0.value.utf8.map(\.asciiLowercased)) }
        guard values.allSatisfy({ $0.count == 16 && $0.allSatisfy(\.isASCIIHexDigit) }) else {
            throw UsageError("--allow: expected a fingerprint of 16 hexadecimal digits")
        }
        return Set(values.map(\.lossyText))
    }
}

/// A search through files that continues after a read error.
private struct Audit {
    private let report: AuditReport
    /// The fingerprints of secrets to ignore.
    private let allowed: Set<String>
    /// Whether a secret was found.
    private(set) var hasFound = false
    /// Whether a file could not be read.
    private(set) var isIncomplete = false

    init(report: AuditReport, allowed: Set<String>) {
        (self.report, self.allowed) = (report, allowed)
    }

    /// Searches a file, or all files in a directory and its subdirectories.
    ///
    /// Symbolic links and pipes are skipped unless they are operands.
    mutating func search(path: [UInt8]) throws {
        do {
            if try Directory.kind(of: path, followingLinks: true) != .directory { return try search(file: path) }
        } catch let error as InputFile.ReadError {
            return reportUnreadable(error, Self.name(path))
        }
        var pending = [path]
        while let next = pending.popLast() {
            do {
                switch try Directory.kind(of: next, followingLinks: next == path) {
                case .file: try search(file: next)
                case .directory: pending += try Self.entries(of: next)
                case .other: continue
                }
            } catch let error as InputFile.ReadError {
                // Ignore an entry that was removed after its directory was read.
                if error != Directory.missing || next == path { reportUnreadable(error, Self.name(next)) }
            }
        }
    }

    /// Returns the paths of a directory's entries, except `.git`, in descending order.
    private static func entries(of path: [UInt8]) throws(InputFile.ReadError) -> [[UInt8]] {
        let separator = path.last == UInt8(ascii: "/") ? [] : [UInt8(ascii: "/")]
        return try Directory.names(in: path).filter { !$0.elementsEqual(".git".utf8) }.map { path + separator + $0 }
    }

    private mutating func search(file path: [UInt8]) throws {
        try search(Self.name(path)) { () throws(InputFile.ReadError) in try InputFile(path: path) }
    }

    /// Searches a file and reports its secrets under a name.
    mutating func search(_ name: String, _ open: () throws(InputFile.ReadError) -> InputFile) throws {
        var hasFound = false
        do {
            let (report, allowed) = (report, allowed)
            try FileAudit.run(try open()) { (location) throws(Console.WriteError) in
                if allowed.contains(location.match.fingerprint) { return }
                hasFound = true
                try report.write(location, in: name)
            }
        } catch let error as InputFile.ReadError {
            reportUnreadable(error, name)
        }
        self.hasFound = self.hasFound || hasFound
    }

    /// Writes a read error to standard error.
    private mutating func reportUnreadable(_ error: InputFile.ReadError, _ name: String) {
        Console.error("sas: cannot read \(name == "-" ? "standard input" : name): \(error)")
        isIncomplete = true
    }

    /// Returns a path's text, redacted if it may contain a secret.
    private static func name(_ path: [UInt8]) -> String {
        SecretScanner.matches(in: path).isEmpty ? Redacted.text(path) : "(redacted)"
    }
}

import HubCommandLine
import HubText
import HubTokenScanner

/// `sas audit`: finds tokens and connection strings in files.
enum AuditCommand {
    static func run(_ arguments: consuming Arguments) throws -> ExitStatus {
        let allowed = try allowed(&arguments)
        let report = AuditReport(
            asJSON: arguments.flag("--json"), now: try TimeOptions.now(&arguments) ?? Clock.now())
        let operands = try arguments.operands()

        var audit = Audit(report: report, allowed: allowed)
        for operand in operands.isEmpty ? ["-"] : operands {
            if operand == "-" {
                try audit.search("-") { () throws(InputFile.Unreadable) in InputFile.standardInput }
            } else {
                try audit.search(path: Array(operand.utf8))
            }
        }
        return audit.isIncomplete ? .unreadable : audit.hasFound ? .failure : .success
    }

    /// The fingerprints of known secrets.
    private static func allowed(_ arguments: inout Arguments) throws(UsageError) -> Set<String> {
        let values = try arguments.values(of: "--allow").map { Array($0.value.utf8.map(\.asciiLowercased)) }
        guard values.allSatisfy({ $0.count == 16 && $0.allSatisfy(\.isASCIIHexDigit) }) else {
            throw UsageError("--allow needs a fingerprint of 16 hexadecimal digits")
        }
        return Set(values.map(\.lossyText))
    }
}

/// A search through files that continues after a file that cannot be read.
private struct Audit {
    private let report: AuditReport
    /// The fingerprints of secrets to ignore.
    private let allowed: Set<String>
    private(set) var hasFound = false
    private(set) var isIncomplete = false

    init(report: AuditReport, allowed: Set<String>) {
        (self.report, self.allowed) = (report, allowed)
    }

    /// Searches a file, or all files below a directory. Only operands may be links or pipes.
    mutating func search(path: [UInt8]) throws {
        do {
            if try Directory.kind(of: path, followingLinks: true) != .directory { return try search(file: path) }
        } catch let error as InputFile.Unreadable {
            return note(error, Self.name(path))
        }
        var waiting = [path]
        while let next = waiting.popLast() {
            do {
                switch try Directory.kind(of: next, followingLinks: next == path) {
                case .file: try search(file: next)
                case .directory: waiting += try Self.entries(of: next).reversed()
                case .other: continue
                }
            } catch let error as InputFile.Unreadable {
                // An entry may have been removed since its directory was read.
                if error != Directory.missing || next == path { note(error, Self.name(next)) }
            }
        }
    }

    /// The paths of a directory's entries, without `.git`.
    private static func entries(of path: [UInt8]) throws(InputFile.Unreadable) -> [[UInt8]] {
        let separator = path.last == UInt8(ascii: "/") ? [] : [UInt8(ascii: "/")]
        return try Directory.names(in: path).filter { !$0.elementsEqual(".git".utf8) }.map { path + separator + $0 }
    }

    private mutating func search(file path: [UInt8]) throws {
        try search(Self.name(path)) { () throws(InputFile.Unreadable) in try InputFile(path: path) }
    }

    mutating func search(_ name: String, _ open: () throws(InputFile.Unreadable) -> InputFile) throws {
        var hasFound = false
        do {
            let (report, allowed) = (report, allowed)
            try FileAudit.run(try open()) { (place) throws(Console.Unwritable) in
                if allowed.contains(place.find.fingerprint) { return }
                hasFound = true
                try report.write(place, in: name)
            }
        } catch let error as InputFile.Unreadable {
            note(error, name)
        }
        self.hasFound = self.hasFound || hasFound
    }

    private mutating func note(_ error: InputFile.Unreadable, _ name: String) {
        Console.error("sas: cannot read \(name == "-" ? "standard input" : name): \(error)")
        isIncomplete = true
    }

    /// A path as text, unless it may be a secret.
    private static func name(_ path: [UInt8]) -> String {
        SecretScanner.finds(in: path).isEmpty ? Redacted.text(path) : "(not shown)"
    }
}

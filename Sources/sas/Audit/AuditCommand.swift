import HubCommandLine
import HubText
import HubTokenScanner

/// `sas audit`: finds tokens, connection strings and keys in files.
enum AuditCommand {
    static func run(_ arguments: consuming Arguments) throws -> ExitStatus {
        let known = try knownSecrets(&arguments)
        let format = try format(&arguments)
        let now = try TimeOptions.now(&arguments) ?? Clock.now()
        let isStaged = arguments.flag(.staged)
        let isHistory = arguments.flag(.gitHistory)
        let tree = FileTree(
            excluded: try arguments.values(of: .exclude).map { option, value throws(UsageError) in
                guard !value.isEmpty else { throw UsageError("\(option): the pattern is empty") }
                return Glob(value)
            },
            includesIgnored: arguments.flag(.noIgnore))
        let operands = try arguments.operands()
        guard !isStaged || !isHistory else { throw UsageError("--staged and --git-history exclude each other") }
        guard !isStaged || operands.isEmpty else { throw UsageError("--staged accepts no path: it reads git's index") }

        let blobs = isStaged ? try Git.staged() : isHistory ? try Git.history(operands) : nil
        var audit = Audit(report: try format.report(), known: known, now: now)
        if let blobs {
            try audit.search(blobs.filter { !tree.excludes($0.path) })
        } else {
            let paths = operands.isEmpty ? [Console.readsTerminal ? "." : "-"] : operands
            for path in paths {
                if path == "-" {
                    try audit.searchStandardInput(isDefault: operands.isEmpty)
                } else {
                    try tree.forEachFile(at: Array(path.utf8)) { try audit.search($0, $1) }
                }
            }
        }
        return try audit.finish()
    }

    private static func format(_ arguments: inout Arguments) throws(UsageError) -> AuditFormat {
        let asJSON = arguments.flag(.json)
        guard let name = try arguments.value(of: .format) else { return asJSON ? .json : .text }
        guard !asJSON || name == "json" else { throw UsageError("--json and --format \(name) exclude each other") }
        return AuditFormat(rawValue: name) ?? .text
    }

    /// The file of allowed secrets that is read without an option.
    private static let defaultAllowFile = ".sasallow"

    private static func knownSecrets(_ arguments: inout Arguments) throws -> KnownSecrets {
        var known = KnownSecrets()
        for (option, value) in try arguments.values(of: .allow) { try known.allow(value, of: option) }
        let files = try arguments.values(of: .allowFile).map(\.value)
        let hasDefault = (try? Directory.kind(of: Array(defaultAllowFile.utf8), followingLinks: true)) == .file
        for path in files.isEmpty && hasDefault ? [defaultAllowFile] : files { try known.allow(listIn: path) }
        if let path = try arguments.value(of: .baseline) { try known.addBaseline(path) }
        return known
    }
}

/// A search through files that continues after a read error.
private struct Audit {
    private var report: any AuditReport
    private let known: KnownSecrets
    private let now: Int64
    private let start = ContinuousClock.now

    private var fileCount = 0
    private var byteCount = 0
    private var foundCount = 0
    private var knownCount = 0
    private var publicCount = 0
    private var unreadable: [String] = []
    /// Whether a gzip file could not be decompressed.
    private var hasCompressed = false

    init(report: any AuditReport, known: KnownSecrets, now: Int64) {
        (self.report, self.known, self.now) = (report, known, now)
    }

    mutating func searchStandardInput(isDefault: Bool) throws {
        let count = byteCount
        let input = InputFile.standardInput
        try search(AuditedFile(Array("-".utf8))) { (limit, bytes) throws(InputFile.ReadError) in
            try input.read(upTo: limit, into: &bytes)
        }
        if isDefault, byteCount == count, unreadable.isEmpty {
            throw UsageError("standard input is empty: pass a path, such as . for the current folder")
        }
    }

    /// Searches a file of a tree, or reports that it cannot be read.
    mutating func search(_ path: [UInt8], _ error: InputFile.ReadError?) throws {
        let file = AuditedFile(path, exists: error != Directory.missing)
        if let error { return addUnreadable(file, error) }
        do {
            let input = try InputFile(path: path)
            try search(file) { (limit, bytes) throws(InputFile.ReadError) in try input.read(upTo: limit, into: &bytes) }
        } catch let error as InputFile.ReadError {
            addUnreadable(file, error)
        }
    }

    /// Searches contents in a repository. A content, and a secret in a file, are reported once.
    mutating func search(_ blobs: [Git.Blob]) throws {
        guard !blobs.isEmpty else { return }
        let reader = try BlobReader(Git.repository())
        var searched: Set<[UInt8]> = []
        var reported: Set<String>? = []
        for blob in blobs where blob.commit == nil || searched.insert(blob.id + blob.path).inserted {
            let file = AuditedFile(blob.path, commit: blob.commit)
            do {
                try reader.read(blob) { try search(file, reported: &reported, $0) }
            } catch let error as InputFile.ReadError {
                addUnreadable(file, error)
            }
        }
    }

    private mutating func search(_ file: AuditedFile, _ read: InputFile.Reader) throws {
        var reported: Set<String>?
        try search(file, reported: &reported, read)
    }

    /// Searches a file and reports its secrets.
    ///
    /// - Parameter reported: The names of files and the fingerprints of their secrets that are already reported.
    private mutating func search(_ file: AuditedFile, reported: inout Set<String>?, _ read: InputFile.Reader) throws {
        fileCount += 1
        do {
            let extent = try FileAudit.run(read) { try add($0, in: file, &reported) }
            byteCount += extent.byteCount
            if extent.isCompressed, !hasCompressed {
                Console.error("sas: warning: gzip files are not decompressed: \(Zlib.remedy)")
                hasCompressed = true
            }
        } catch let error as InputFile.ReadError {
            addUnreadable(file, error)
        } catch let error as Zlib.DataError {
            addUnreadable(file, error)
        } catch let error as GzipLayers.SizeError {
            addUnreadable(file, error)
        }
    }

    private mutating func add(_ location: FileAudit.Location, in file: AuditedFile, _ reported: inout Set<String>?)
        throws
    {
        let fingerprint = location.match.fingerprint
        if location.match.isPublic {
            publicCount += 1
        } else if location.isAllowed || known.contains(fingerprint, in: file) {
            knownCount += 1
        } else if reported?.insert("\(fingerprint) \(file.name)").inserted ?? true {
            foundCount += 1
            try report.add(FoundSecret(location: location, file: file, now: now))
        }
    }

    private mutating func addUnreadable(_ file: AuditedFile, _ error: any Error) {
        let name = file.name == "-" ? "standard input" : file.name
        unreadable.append("cannot read \(name): \(error)")
        Console.error("sas: cannot read \(name): \(error)")
    }

    /// Writes the end of the report and, to standard error, a summary.
    mutating func finish() throws -> ExitStatus {
        try report.finish(unreadable: unreadable)
        var parts = ["\(foundCount == 0 ? "no" : String(foundCount)) secret\(foundCount == 1 ? "" : "s") found"]
        if knownCount > 0 { parts.append("\(knownCount) allowed") }
        if publicCount > 0 { parts.append("\(publicCount) of emulators ignored") }
        if !unreadable.isEmpty { parts.append("\(unreadable.count) unreadable") }
        let files = "\(fileCount) file\(fileCount == 1 ? "" : "s")"
        Console.error("sas: \(files), \(Self.size(byteCount)), \(Self.time(start)): \(parts.joined(separator: ", "))")
        return !unreadable.isEmpty ? .unreadable : foundCount > 0 ? .failure : .success
    }

    /// Returns a number of bytes in the largest suitable unit, with one decimal.
    private static func size(_ count: Int) -> String {
        let (unit, name) =
            [(1_000_000_000, "GB"), (1_000_000, "MB"), (1000, "kB")].first { count >= $0.0 } ?? (1, "bytes")
        return unit == 1 ? "\(count) bytes" : "\(count / unit).\(count % unit * 10 / unit) \(name)"
    }

    /// Returns the time since a start, in seconds with two decimals.
    private static func time(_ start: ContinuousClock.Instant) -> String {
        let elapsed = ContinuousClock.now - start
        let hundredths = Int(elapsed.components.attoseconds / 10_000_000_000_000_000)
        return "\(elapsed.components.seconds).\(hundredths.padded(to: 2)) s"
    }
}

import HubCommandLine
import HubText
import HubTokenScanner
import SharedAccessSignature

/// A writer of the results of an audit to standard output.
protocol AuditReport {
    /// Writes a secret's location and properties, without the secret itself.
    mutating func add(_ secret: FoundSecret) throws(Console.WriteError)
    /// Writes the end of the report.
    ///
    /// - Parameter unreadable: The messages about files that could not be read.
    mutating func finish(unreadable: [String]) throws(Console.WriteError)
}

/// A format of ``AuditReport``. The raw values are the values of `--format`.
enum AuditFormat: String, CaseIterable {
    case text, json, sarif, github, gitlab

    /// Creates the report and writes its start.
    func report() throws(Console.WriteError) -> any AuditReport {
        switch self {
        case .text: TextReport()
        case .json: JSONReport()
        case .sarif: try SARIFReport()
        case .github: GitHubReport()
        case .gitlab: try GitLabReport()
        }
    }
}

/// A file, or a file in a commit.
struct AuditedFile {
    /// The path's bytes; `-` for standard input.
    let path: [UInt8]
    /// The commit that added the content; `nil` outside a history.
    let commit: Git.Commit?

    /// Whether the file exists. Otherwise, the path may be a secret by mistake.
    private let exists: Bool

    init(_ path: [UInt8], commit: Git.Commit? = nil, exists: Bool = true) {
        self.path =
            path.starts(with: "./".utf8) ? Array(path.dropFirst(2).drop { $0 == UInt8(ascii: "/") }) : path
        self.commit = commit
        self.exists = exists
    }

    /// The path's bytes, redacted if they may contain a secret.
    var redactedPath: [UInt8] {
        let parts = exists ? path.split(separator: UInt8(ascii: "/")) : [path[...]]
        let isSecret = parts.contains(where: Redacted.mayContainSecret) || !SecretScanner.matches(in: path).isEmpty
        return isSecret ? Array(Redacted.placeholder.utf8) : path
    }

    /// The text of the redacted path.
    var name: String { redactedPath.lossyText }
}

/// A secret in a file.
struct FoundSecret {
    let location: FileAudit.Location
    let file: AuditedFile
    /// The current time in seconds since 1970 UTC.
    let now: Int64

    var match: SecretMatch { location.match }
    var isExpired: Bool { match.expiry.map { $0 <= now } ?? false }

    /// The secret's kind and properties.
    var description: String {
        let policy = match.keyName.map { ", policy \($0)" } ?? ""
        let resource = match.resource ?? "an unknown resource"
        let text =
            switch match.kind {
            case .token: "token for \(resource)\(policy), \(expiry), signature fingerprint \(match.fingerprint)"
            case .storageToken: "storage token for \(resource), \(expiry), signature fingerprint \(match.fingerprint)"
            case .connectionString: "connection string for \(resource)\(policy), key fingerprint \(match.fingerprint)"
            case .key:
                "key\(match.keyName.map { " of policy \($0)" } ?? ""), key fingerprint \(match.fingerprint)"
            case .accountKey:
                "account key\(match.resource.map { " of \($0)" } ?? ""), key fingerprint \(match.fingerprint)"
            case .serviceKey:
                "key of \(match.service ?? "a service")\(match.resource.map { " for \($0)" } ?? ""), key fingerprint "
                    + match.fingerprint
            case .clientSecret: "client secret of Microsoft Entra ID, fingerprint \(match.fingerprint)"
            }
        guard let commit = file.commit else { return text }
        return "\(text), commit \(commit.id.prefix(12)) of \(commit.date)"
    }

    private var expiry: String { match.expiry.map { Expiry(seconds: $0).summary(now: now) } ?? "unknown expiry" }
}

extension Git.Commit {
    /// The author's time in ISO 8601.
    var date: String { Timestamp(seconds: authorTime)?.text ?? "second \(authorTime) since 1970" }
}

extension SecretMatch.Kind {
    /// A short name for readers.
    var title: String {
        switch self {
        case .token: "Token"
        case .connectionString: "Connection string with a shared access key"
        case .key: "Shared access key"
        case .storageToken: "Shared access signature of Azure Storage"
        case .accountKey: "Account key of Azure Storage or Cosmos DB"
        case .serviceKey: "Key of an Azure service"
        case .clientSecret: "Client secret of Microsoft Entra ID"
        }
    }
}

/// One line of text for each secret.
struct TextReport: AuditReport {
    func add(_ secret: FoundSecret) throws(Console.WriteError) {
        let start = secret.location.start
        try Console.result(["\(secret.file.name):\(start.line):\(start.column): \(secret.description)"])
    }

    func finish(unreadable: [String]) {}
}

/// One JSON object in each line.
struct JSONReport: AuditReport {
    func add(_ secret: FoundSecret) throws(Console.WriteError) {
        let match = secret.match
        var object = JSONOutput()
        object.add("kind", match.kind.rawValue)
        object.add("file", secret.file.name)
        object.add("line", Int64(secret.location.start.line))
        object.add("column", Int64(secret.location.start.column))
        if let commit = secret.file.commit {
            object.add("commit", commit.id)
            object.add("authorDate", commit.date)
        }
        if let resource = match.resource { object.add(match.kind == .token ? "resource" : "host", resource) }
        if let keyName = match.keyName { object.add("keyName", keyName) }
        if let service = match.service { object.add("service", service) }
        if let expiry = match.expiry {
            object.add("expires", expiry)
            object.add("secondsLeft", expiry.subtractingSaturated(secret.now))
            object.add("expired", secret.isExpired)
        }
        object.add("fingerprint", match.fingerprint)
        try Console.result(object)
    }

    func finish(unreadable: [String]) {}
}

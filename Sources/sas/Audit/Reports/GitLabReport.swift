import HubCommandLine
import HubTokenScanner

/// A code quality report of GitLab: an array of issues.
///
/// Source: "Code Quality report format" in GitLab's documentation.
struct GitLabReport: AuditReport {
    private var isEmpty = true

    init() throws(Console.WriteError) {
        try Console.output(bytes: Array("[".utf8))
    }

    mutating func add(_ secret: FoundSecret) throws(Console.WriteError) {
        var lines = JSONOutput()
        lines.add("begin", Int64(secret.location.start.line))
        var location = JSONOutput()
        location.add("path", secret.file.name)
        location.add("lines", lines)
        var issue = JSONOutput()
        issue.add("description", secret.description)
        issue.add("check_name", secret.match.kind.rawValue)
        issue.add("fingerprint", "\(secret.match.fingerprint):\(secret.file.name):\(secret.location.start.line)")
        issue.add("severity", secret.isExpired ? "minor" : "critical")
        issue.add("location", location)
        try Console.output(bytes: Array((isEmpty ? "\n" : ",\n").utf8) + issue.bytes)
        isEmpty = false
    }

    func finish(unreadable: [String]) throws(Console.WriteError) {
        try Console.output(bytes: Array("\n]\n".utf8))
    }
}

import HubCommandLine
import HubTokenScanner
import SharedAccessSignature

/// A writer of found secrets as text or JSON.
struct AuditReport {
    let asJSON: Bool
    /// The current time in seconds since 1970 UTC.
    let now: Int64

    /// Writes the location and properties of a secret, without the secret itself.
    func write(_ location: FileAudit.Location, in file: String) throws(Console.WriteError) {
        if asJSON {
            try Console.result(json(location, file))
        } else {
            try Console.result(["\(file):\(location.line):\(location.column): \(text(location.match))"])
        }
    }

    private func text(_ match: SecretMatch) -> String {
        switch match.kind {
        case .token:
            let expiry = match.expiry.map { Expiry(seconds: $0).summary(now: now) }
            return "token for \(match.resource ?? ""), policy \(match.keyName ?? "unknown"), "
                + "\(expiry ?? "unknown expiry"), signature fingerprint \(match.fingerprint)"
        case .connectionString:
            return "connection string for \(match.resource ?? ""), policy \(match.keyName ?? "unknown"), "
                + "key fingerprint \(match.fingerprint)"
        case .key:
            return "key" + (match.keyName.map { " of policy \($0)" } ?? "") + ", key fingerprint \(match.fingerprint)"
        }
    }

    private func json(_ location: FileAudit.Location, _ file: String) -> JSONOutput {
        let match = location.match
        var object = JSONOutput()
        object.add("kind", match.kind.rawValue)
        object.add("file", file)
        object.add("line", Int64(location.line))
        object.add("column", Int64(location.column))
        if let resource = match.resource { object.add(match.kind == .token ? "resource" : "host", resource) }
        if let keyName = match.keyName { object.add("keyName", keyName) }
        if let expiry = match.expiry {
            object.add("expires", expiry)
            object.add("secondsLeft", expiry.subtractingSaturated(now))
            object.add("expired", expiry <= now)
        }
        object.add("fingerprint", match.fingerprint)
        return object
    }
}

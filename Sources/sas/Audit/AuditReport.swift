import HubCommandLine
import HubTokenScanner
import SharedAccessSignature

/// Reports finds as text or JSON.
struct AuditReport {
    let asJSON: Bool
    let now: Int64

    /// Writes a find without its secret.
    func write(_ place: FileAudit.Place, in file: String) throws(Console.Unwritable) {
        if asJSON {
            try Console.result(json(place, file))
        } else {
            try Console.result(["\(file):\(place.line):\(place.column): \(text(place.find))"])
        }
    }

    private func text(_ find: SecretFind) -> String {
        switch find.kind {
        case .token:
            let end = find.expiry.map { expiry in
                "\(Expiry(seconds: expiry).ending(seenFrom: now)) (\(Expiry(seconds: expiry).text))"
            }
            return "token for \(find.place ?? "") by \(find.keyName ?? "nobody"), \(end ?? "without an end"), "
                + "signature fingerprint \(find.fingerprint)"
        case .connectionString:
            return "connection string of \(find.place ?? ""), policy \(find.keyName ?? "not named"), "
                + "key fingerprint \(find.fingerprint)"
        case .key:
            return "key" + (find.keyName.map { " of policy \($0)" } ?? "") + ", key fingerprint \(find.fingerprint)"
        }
    }

    private func json(_ place: FileAudit.Place, _ file: String) -> JSONOutput {
        let find = place.find
        var object = JSONOutput()
        object.add("kind", find.kind.rawValue)
        object.add("file", file)
        object.add("line", Int64(place.line))
        object.add("column", Int64(place.column))
        if let text = find.place { object.add(find.kind == .token ? "resource" : "host", text) }
        if let keyName = find.keyName { object.add("keyName", keyName) }
        if let expiry = find.expiry {
            object.add("expires", expiry)
            object.add("secondsLeft", expiry.subtractingSaturated(now))
            object.add("expired", expiry <= now)
        }
        object.add("fingerprint", find.fingerprint)
        return object
    }
}

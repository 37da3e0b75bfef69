import HubCommandLine
import HubText
import HubTokenScanner
import SharedAccessSignature

/// The report on a shared access signature of Azure Storage.
struct StorageReport {
    private let sas: StorageSAS
    private let signature: SignatureText
    private let findings: [Finding]
    private let now: Int64

    /// Creates a report.
    ///
    /// - Parameter textFindings: The findings for the text around the signature.
    init(_ sas: StorageSAS, _ textFindings: [Finding], now: Int64) {
        self.sas = sas
        self.now = now
        signature = SignatureText(sas.rawValue("sig") ?? [])
        findings = textFindings + sas.findings(now: now) + signature.findings + [Finding(.notVerifiable)]
    }

    /// Whether the signature is unexpired and has no other problem.
    var isGood: Bool { findings.allSatisfy(\.isNote) }

    /// The report as text.
    var lines: [String] {
        var lines = [Inspection.row("type", "Azure Storage, \(kind)")]
        if !sas.url.isEmpty { lines.append(Inspection.row("url", Redacted.text(sas.url))) }
        for name in StorageSAS.names {
            guard let value = sas.value(name), let raw = sas.rawValue(name) else { continue }
            let text = name == "sig" ? signature.description : Redacted.text(value, decodedFrom: raw)
            lines.append(Inspection.row(name, text))
            if let meaning = meaning(of: name) { lines.append(Inspection.row("", meaning)) }
        }
        lines += findings.lines
        let problems = "invalid (\(findings.problemCountText))"
        return lines + ["result: \(isGood ? "valid (signature not checked)" : problems)"]
    }

    /// The report as JSON.
    var json: JSONOutput {
        var object = JSONOutput()
        object.add("valid", isGood)
        object.add("type", "storageSAS")
        object.add("kind", sas.kind.rawValue)
        if !sas.url.isEmpty { object.add("url", Redacted.text(sas.url)) }
        for (name, member) in [
            ("sv", "version"), ("si", "storedAccessPolicy"), ("spr", "protocols"), ("sip", "addresses"),
        ] {
            guard let value = sas.value(name), let raw = sas.rawValue(name) else { continue }
            object.add(member, Redacted.text(value, decodedFrom: raw))
        }
        if let services = sas.services { object.add("services", services) }
        if let types = sas.resourceTypes { object.add("resourceTypes", types) }
        if let permissions = sas.permissions { object.add("permissions", permissions) }
        if let start = sas.time("st") {
            object.add("starts", start)
            object.add("startsAt", Expiry(seconds: start).text)
        }
        if let expiry = sas.time("se") {
            object.add("expires", expiry)
            object.add("expiresAt", Expiry(seconds: expiry).text)
            object.add("secondsLeft", expiry.subtractingSaturated(now))
        }
        object.add("signatureLength", Int64(signature.length))
        object.add("signatureIsCanonical", signature.isCanonical)
        object.add("findings", findings.map(\.json))
        return object
    }

    private var kind: String {
        switch sas.kind {
        case .service: "service SAS: one service, signed with the account's key"
        case .account: "account SAS: several services, signed with the account's key"
        case .userDelegation: "user delegation SAS: signed with a key that Entra ID issued for a user"
        }
    }

    /// Returns the meaning of a field's value; `nil` if the value is plain.
    private func meaning(of name: String) -> String? {
        switch name {
        case "ss": sas.services?.joined(separator: ", ")
        case "srt": sas.resourceTypes?.joined(separator: ", ")
        case "sr": sas.kind == .account ? nil : sas.resourceTypes?.joined(separator: ", ")
        case "sp": sas.permissions?.joined(separator: ", ")
        case "si": "stored access policy, which can contain the start, the expiry and the permissions"
        case "se": sas.time("se").map { Expiry(seconds: $0).relativeText(now: now) }
        case "st": sas.time("st").map(startText)
        default: nil
        }
    }

    private func startText(_ start: Int64) -> String {
        start > now
            ? "starts in \(Expiry.durationText(start.subtractingSaturated(now)))"
            : "started \(Expiry.durationText(now.subtractingSaturated(start))) ago"
    }
}

extension StorageSAS {
    /// Returns the findings for the fields, except for the signature.
    fileprivate func findings(now: Int64) -> [Finding] {
        var findings: [Finding] = []
        for name in Self.names {
            if count(name) > 1 { findings.append(Finding(.duplicateField, name)) }
            guard let raw = rawValue(name) else { continue }
            if raw.isEmpty {
                findings.append(Finding(.emptyField, name))
            } else if PercentDecoded(raw, readsPlusAsSpace: true).hasInvalidEscape {
                findings.append(Finding(.invalidEscape, name))
            } else if ["st", "se", "skt", "ske"].contains(name), time(name) == nil {
                findings.append(Finding(.invalidTime, name))
            }
        }
        // A stored access policy can contain these fields.
        if rawValue("si") == nil {
            findings += ["sp", "se"].filter { rawValue($0) == nil }.map { Finding(.missingField, $0) }
        }
        if kind == .account {
            findings += ["ss", "srt"].filter { rawValue($0) == nil }.map { Finding(.missingField, $0) }
        }
        if let start = time("st"), start > now {
            findings.append(Finding(.notYetValid, "st: \(Expiry(seconds: start).text)"))
        }
        if let expiry = time("se") {
            if expiry <= now {
                findings.append(Finding(.expired, Expiry(seconds: expiry).relativeText(now: now)))
            } else {
                findings += Finding.longLifetime(expiry.subtractingSaturated(now))
            }
        }
        if let keyExpiry = time("ske"), keyExpiry <= now {
            findings.append(
                Finding(.expired, "ske: the user's key \(Expiry(seconds: keyExpiry).relativeText(now: now))"))
        }
        let protocols = value("spr")?.split(separator: UInt8(ascii: ",")) ?? []
        if protocols.isEmpty || protocols.contains(where: { $0.isEqual(ignoringCase: "http") }) {
            findings.append(Finding(.httpAllowed))
        }
        return findings
    }
}

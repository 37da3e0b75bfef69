import HubCommandLine
import HubText
import HubTokenScanner
import SharedAccessSignature

extension Inspection {
    /// The report as text.
    var lines: [String] {
        var lines = token.isNotToken ? [] : fieldLines
        lines += findings.lines
        lines.append("result: \(result)")
        return lines
    }

    private var fieldLines: [String] {
        var lines: [String] = []
        for name in ["sr", "sig", "se", "skn"] {
            guard let value = token.value(name) else {
                lines.append(Self.row(name, "(missing)"))
                continue
            }
            lines.append(Self.row(name, name == "sig" ? signature?.description ?? "" : Redacted.text(value)))
            if let meaning = meaning(of: name, value) { lines.append(Self.row("", meaning)) }
        }
        if let signedString {
            lines.append(Self.row("signed", signedString.split(separator: "\n").joined(separator: "\\n")))
        }
        lines.append(
            Self.row("encoding", encodings.isEmpty ? "matches no known library" : encodings.joined(separator: ", ")))
        if let keyCheck { lines.append(Self.row("key", Self.description(of: keyCheck))) }
        return lines
    }

    /// The report as JSON.
    var json: JSONOutput {
        var object = JSONOutput()
        object.add("valid", isGood)
        object.add("wellFormed", parseError == nil)
        if !token.isNotToken { object.add("type", token.isForIoTHub ? "iotHubToken" : "policyToken") }
        for (name, member) in [("sr", "resource"), ("skn", "keyName")] {
            guard let value = token.value(name) else { continue }
            object.add(name, Redacted.text(value))
            object.add(member, Self.decoded(name, value))
        }
        if let value = token.value("se") { object.add("se", Redacted.text(value)) }
        if let expiry {
            object.add("expires", expiry)
            object.add("expiresAt", Expiry(seconds: expiry).text)
            object.add("secondsLeft", expiry.subtractingSaturated(now))
        }
        if let signature {
            object.add("signatureLength", Int64(signature.length))
            object.add("signatureIsCanonical", signature.isCanonical)
        }
        if let signedString { object.add("signed", signedString) }
        object.add("encodings", encodings)
        if let keyCheck { object.add("key", Self.description(of: keyCheck)) }
        object.add("findings", findings.map(\.json))
        return object
    }

    /// Returns the decoded value of a field; `nil` if it adds nothing to the field's text.
    private func meaning(of name: String, _ value: ArraySlice<UInt8>) -> String? {
        switch name {
        case "se":
            guard let expiry else { return nil }
            let decoded = Expiry(seconds: expiry)
            return "\(decoded.text), \(decoded.relativeText(now: now))"
        case "sr", "skn":
            let decoded = Self.decoded(name, value)
            return decoded.utf8.elementsEqual(Redacted.text(value).utf8) ? nil : decoded
        default:
            return nil
        }
    }

    private static func decoded(_ name: String, _ value: ArraySlice<UInt8>) -> String {
        Redacted.text(PercentDecoded(value, readsPlusAsSpace: name == "sr").bytes, decodedFrom: value)
    }

    private static func description(of check: KeyCheck) -> String {
        switch check {
        case .signed(let policy): "signed with \(key(of: policy))"
        case .policyMismatch(let policy): "signed with \(key(of: policy)), but skn names another policy"
        case .signedIncorrectly(let policy, let mistake):
            "signed with \(key(of: policy)), but incorrectly: \(mistake)"
        case .inexactKey(let policy, let difference):
            "signed with \(key(of: policy)), but the given key \(difference)"
        case .notSigned: "not signed with a given key"
        }
    }

    private static func key(of policy: String) -> String { "the key of policy \(Redacted.text(policy.utf8))" }

    /// Returns a line of a report.
    static func row(_ name: String, _ text: String) -> String {
        "\(name) ".padded(right: 10) + text
    }
}

extension Finding {
    /// The finding as JSON.
    var json: JSONOutput {
        var object = JSONOutput()
        object.add("kind", kind.rawValue)
        object.add("problem", !isNote)
        object.add("text", text)
        return object
    }
}

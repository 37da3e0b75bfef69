import HubCommandLine
import HubText
import HubTokenScanner

/// A log in the Static Analysis Results Interchange Format (SARIF 2.1.0), written as secrets are found.
struct SARIFReport: AuditReport {
    private var isEmpty = true

    init() throws(Console.WriteError) {
        var driver = JSONOutput()
        driver.add("name", "sas")
        driver.add("version", Tool.version)
        driver.add("rules", SecretMatch.Kind.allCases.map(Self.rule))
        var tool = JSONOutput()
        tool.add("driver", driver)
        let start = """
            {"$schema":"https://json.schemastore.org/sarif-2.1.0.json","version":"2.1.0","runs":[{"tool":
            """
        try Console.output(
            bytes: Array(start.utf8) + tool.bytes + Array(",\"columnKind\":\"unicodeCodePoints\",\"results\":[".utf8))
    }

    private static func rule(_ kind: SecretMatch.Kind) -> JSONOutput {
        var rule = JSONOutput()
        rule.add("id", kind.rawValue)
        rule.add("name", kind.title)
        rule.add("shortDescription", message(kind.title))
        rule.add("help", message(help(kind)))
        var properties = JSONOutput()
        properties.add("tags", ["security"])
        // GitHub's code scanning shows this as a critical or a high severity.
        let isCritical = [.connectionString, .accountKey, .clientSecret].contains(kind)
        properties.add("security-severity", isCritical ? "9.5" : "8.5")
        rule.add("properties", properties)
        return rule
    }

    private static func help(_ kind: SecretMatch.Kind) -> String {
        switch kind {
        case .token, .storageToken:
            "Anyone can use the token until it expires. To revoke it, regenerate the key that signed it."
        case .connectionString, .key, .accountKey, .serviceKey:
            "Regenerate the key in Azure, and load it from an environment variable or a vault."
        case .clientSecret:
            "Delete the client secret in Microsoft Entra ID, and load a new one from a vault."
        }
    }

    private static func message(_ text: String) -> JSONOutput {
        var message = JSONOutput()
        message.add("text", text)
        return message
    }

    mutating func add(_ secret: FoundSecret) throws(Console.WriteError) {
        let location = secret.location
        var artifact = JSONOutput()
        artifact.add("uri", Self.uri(secret.file))
        var region = JSONOutput()
        region.add("startLine", Int64(location.start.line))
        region.add("startColumn", Int64(location.start.column))
        region.add("endLine", Int64(location.end.line))
        region.add("endColumn", Int64(location.end.column))
        var physical = JSONOutput()
        physical.add("artifactLocation", artifact)
        physical.add("region", region)
        var place = JSONOutput()
        place.add("physicalLocation", physical)
        var fingerprints = JSONOutput()
        fingerprints.add("secret/v1", secret.match.fingerprint)
        var result = JSONOutput()
        result.add("ruleId", secret.match.kind.rawValue)
        result.add("level", secret.isExpired ? "warning" : "error")
        result.add("message", Self.message(secret.description))
        result.add("locations", [place])
        result.add("partialFingerprints", fingerprints)
        if let commit = secret.file.commit {
            var properties = JSONOutput()
            properties.add("commit", commit.id)
            properties.add("authorDate", commit.date)
            result.add("properties", properties)
        }
        try Console.output(bytes: Array((isEmpty ? "\n" : ",\n").utf8) + result.bytes)
        isEmpty = false
    }

    func finish(unreadable: [String]) throws(Console.WriteError) {
        var invocation = JSONOutput()
        invocation.add("executionSuccessful", unreadable.isEmpty)
        invocation.add(
            "toolExecutionNotifications",
            unreadable.map { text in
                var notification = JSONOutput()
                notification.add("level", "error")
                notification.add("message", Self.message(text))
                return notification
            })
        try Console.output(bytes: Array("\n],\"invocations\":[".utf8) + invocation.bytes + Array("]}]}\n".utf8))
    }

    /// Returns a path as a URI reference (RFC 3986), relative for a relative path.
    private static func uri(_ file: AuditedFile) -> String {
        let path = file.redactedPath
        return (path.first == UInt8(ascii: "/") ? "file://" : "") + PercentEncoding.path.encode(path).lossyText
    }
}

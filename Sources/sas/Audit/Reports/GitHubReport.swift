import HubCommandLine
import HubText
import HubTokenScanner

/// Annotations of GitHub Actions, as workflow commands.
///
/// GitHub shows at most ten annotations of a kind for each step. The other secrets are lines of text, and a notice counts
/// them. Source: "Workflow commands for GitHub Actions" in GitHub's documentation.
struct GitHubReport: AuditReport {
    private static let maximumCount = 10
    private var count = 0

    mutating func add(_ secret: FoundSecret) throws(Console.WriteError) {
        count += 1
        let start = secret.location.start
        guard count <= Self.maximumCount else {
            // A file's name must not become a command, such as "##[add-mask]".
            let name = Self.escaped(secret.file.name, Self.endsOfProperties + "[")
            return try Console.result(["secret in \(name), line \(start.line): \(secret.description)"])
        }
        let end = secret.location.end
        var properties = [
            ("file", secret.file.name), ("line", String(start.line)), ("col", String(start.column)),
        ]
        if end.line == start.line { properties.append(("endColumn", String(end.column))) }
        properties.append(("title", secret.match.kind.title))
        let list = properties.map { "\($0)=\(Self.escaped($1, Self.endsOfProperties))" }.joined(separator: ",")
        let level = secret.isExpired ? "warning" : "error"
        try Console.result(command: "::\(level) \(list)::\(Self.escaped(secret.description, Self.endsOfMessages))")
    }

    func finish(unreadable: [String]) throws(Console.WriteError) {
        for message in unreadable {
            try Console.result(command: "::warning::\(Self.escaped(message, Self.endsOfMessages))")
        }
        guard count > Self.maximumCount else { return }
        let rest = count - Self.maximumCount
        try Console.result(
            command: "::notice title=sas audit::\(count) secrets; the log lists the \(rest) without an annotation")
    }

    /// The characters that a message must not contain.
    private static let endsOfMessages = "%\r\n"
    /// The characters that the value of a property must not contain.
    private static let endsOfProperties = endsOfMessages + ":,"

    /// Percent-encodes some ASCII characters.
    private static func escaped(_ text: String, _ characters: String) -> String {
        var result: [UInt8] = []
        for byte in text.utf8 {
            if characters.utf8.contains(byte) {
                result.append(UInt8(ascii: "%"))
                result.append(hexDigitsOf: byte, .upper)
            } else {
                result.append(byte)
            }
        }
        return result.lossyText
    }
}

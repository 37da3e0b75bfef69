import Foundation
import HubTestSupport
import HubTokenScanner
import Testing

@Suite(.timeLimit(.minutes(30))) struct AuditTests {
    private static let token =
        "SharedAccessSignature sr=https%3A%2F%2Fcontoso.net%2Fhub&sig=8UM0iIfFCfeBSqxSdBMW8pUbhAm7mnjSUaIZTZx8V0g%3D"
        + "&se=1700003600&skn=rule"
    private static let string = SASProgram.connectionString
    private static let key = SASProgram.key
    /// The fingerprint was computed in Python: `hashlib.sha256(text).hexdigest()[:16]`.
    private static let tokenText =
        "token for https://contoso.net/hub, policy rule, expires in 1 hour (2023-11-14T23:13:20Z), "
        + "signature fingerprint 536b6579fcc80d6c"
    private static let stringText =
        "connection string for contoso.servicebus.windows.net, policy rule, key fingerprint "
        + SecretMatch.fingerprint(ofKey: Array(key.utf8))

    private static func encoded(_ text: String) -> String {
        text.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
    }
    private static func replaced(_ text: String, _ part: String, _ other: String) -> String {
        text.replacingOccurrences(of: part, with: other)
    }

    private static let keyText = String(stringText.suffix(32))
    private static let secrets: [(String, String, String)] = [
        (token, "1:1", tokenText), ("a\nb auth=\(token), x", "2:8", tokenText), ("(\(token))", "1:2", tokenText),
        (replaced(token, "SharedAccess", "SHAREDaccess"), "1:1", tokenText),
        ("\"\(replaced(token, "&", "\\u0026"))\"", "1:2", tokenText), (replaced(token, "&", "&amp;"), "1:1", tokenText),
        (replaced(token, "&", "\\\\u0026"), "1:1", tokenText), ("?t=\(encoded(token))&x", "1:4", tokenText),
        (encoded(encoded(token)), "1:1", tokenText), (replaced(encoded(token), "%20", "+"), "1:1", tokenText),
        (replaced(token, "%3D&", "=&"), "1:1", tokenText), ("\0\u{ff}\(token)\0", "1:3", tokenText),
        (string, "1:1", stringText), ("a \"\(string)\"", "1:4", stringText),
        ("X=\(string)", "1:3", stringText), (replaced(string, "/", "\\/"), "1:1", stringText),
        ("&quot;\(string)&quot;", "1:7", stringText), (encoded(string), "1:1", stringText),
        (string.split(separator: ";").reversed().joined(separator: ";"), "1:1", stringText),
        (replaced(string, "SharedAccessKey", "sharedACCESSkey"), "1:1", stringText),
        ("SharedAccessKey=\(key)", "1:1", "key, \(keyText)"),
        ("{\"SharedAccessKey\": \"\(key)\"}", "1:22", "key, \(keyText)"),
        ("SharedAccessKeyName=a;SharedAccessKey=\(key)", "1:1", "key of policy a, \(keyText)"),
    ]

    @Test(arguments: representatives(secrets, count: 6))
    func `finds secrets in different encodings`(text: String, location: String, description: String) async throws {
        let outcome = try await SASProgram.run(
            ["audit", "--now", "1700000000"], input: text, hiding: ["8UM0iIfFCfeBSqxSdBMW8pUbhAm7mnjSUaIZTZx8V0g"])
        #expect(outcome.output == "-:\(location): \(description)\n")
        #expect(outcome.status == 1)
        // UTF-16 text has the same secrets at twice the offsets.
        let wide = SecretScanner.matches(in: text.utf16.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8($0 >> 8)] })
        let narrow = SecretScanner.matches(in: Array(text.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }))
        #expect(wide.map(\.fingerprint) == narrow.map(\.fingerprint))
        #expect(wide.map(\.range.lowerBound) == narrow.map { $0.range.lowerBound * 2 })
    }

    private static let harmless = [
        "", "SharedAccessSignature", "SharedAccessSignature sr=a&sig=b&se=1&skn=c",
        "SharedAccessSignature sr={uri}&sig={sig}",
        "SharedAccessKey=", "SharedAccessKey=KEY", "SharedAccessKeyName=RootManageSharedAccessKey",
        "Endpoint=sb://x/;SharedAccessKeyName=a;SharedAccessKey=<key>", "Endpoint=sb://x/;SharedAccessKey={key}",
        "Endpoint=sb://x/;SharedAccessKey=$KEY", "Endpoint=sb://x/;SharedAccessKey=****",
    ]

    @Test func `ignores text without secrets`() async throws {
        let outcome = try await SASProgram.run(["audit"], input: Self.harmless.joined(separator: "\n"))
        #expect((outcome.output, outcome.status) == ("", 0))
        #expect(outcome.error.hasSuffix(": no secrets found\n"))
    }

    private static let edges = [(1 << 20) - 32_768, 1 << 20].flatMap { edge in
        [-110, -30, 0].map { edge + $0 }
    }

    @Test(arguments: representatives(edges, count: 2))
    func `finds secrets at chunk boundaries`(start: Int) async throws {
        let text =
            String(repeating: "x", count: start - 1) + "\n" + Self.string + " "
            + String(repeating: "y\n", count: 40_000) + Self.token
        let outcome = try await SASProgram.run(["audit", "--now", "1700000000"], input: text)
        #expect(outcome.output == "-:2:1: \(Self.stringText)\n-:40002:1: \(Self.tokenText)\n")
    }

    @Test func `searches directories in order, except .git`() async throws {
        try await SASProgram.withTemporaryDirectory { directory in
            let path = directory.path()
            for name in [".git", "b", "b/c"] {
                try FileManager.default.createDirectory(
                    at: directory.appending(path: name), withIntermediateDirectories: true)
            }
            for name in [".git/x", "z", "b/y", "b/c/x", "a"] {
                try Data(Self.token.utf8).write(to: directory.appending(path: name))
            }
            try FileManager.default.createSymbolicLink(
                at: directory.appending(path: "link"), withDestinationURL: directory)
            let outcome = try await SASProgram.run(["audit", "--now", "1700003601", "--json", path])
            let objects = try SASProgram.objects(outcome.output)
            let files = objects.compactMap { ($0["file"] as? String)?.dropFirst(path.count) }
            #expect(files.map { $0.drop { $0 == "/" } } == ["a", "b/c/x", "b/y", "z"])
            let first = try #require(objects.first)
            #expect(first["kind"] as? String == "token")
            #expect(first["line"] as? Int == 1)
            #expect(first["resource"] as? String == "https://contoso.net/hub")
            #expect(first["keyName"] as? String == "rule")
            #expect(first["expires"] as? Int == 1_700_003_600)
            #expect(first["secondsLeft"] as? Int == -1)
            #expect(first["expired"] as? Bool == true)
            #expect(outcome.status == 1)
        }
    }

    @Test func `continues after a file that cannot be read`() async throws {
        let outcome = try await SASProgram.run(["audit", "/nowhere", "-", Self.string], input: Self.token)
        #expect(outcome.output.split(separator: "\n").count == 1)
        #expect(
            outcome.error.hasPrefix(
                """
                sas: cannot read /nowhere: No such file or directory
                sas: cannot read (redacted: may contain a key or a signature): No such file or directory
                sas: 1 file, 
                """))
        #expect(outcome.error.hasSuffix(": 1 secret found, 2 unreadable\n"))
        #expect(outcome.status == 3)
    }
}

import Foundation
import HubTestSupport
import HubTokenScanner
import Testing

@Suite(.timeLimit(.minutes(30))) struct AuditCorpusTests {
    private struct Finding: Hashable, CustomStringConvertible {
        let file: String
        let line: Int
        let kind: String
        var description: String { "\(file):\(line): \(kind)" }
    }

    private static func findings(_ corpus: AuditCorpus) async throws -> [(finding: Finding, fingerprint: String)] {
        try await SASProgram.withTemporaryDirectory { directory in
            try await corpus.write(to: directory)
            let outcome = try await SASProgram.shell("cd \"$1\" && exec \"$0\" audit --json .", [directory.path()])
            #expect(outcome.status == (outcome.output.isEmpty ? 0 : 1))
            for secret in corpus.secrets {
                #expect(!outcome.output.contains(secret.text), "the output contains a secret of \(secret.file)")
            }
            return try SASProgram.objects(outcome.output).map { object in
                let finding = Finding(
                    file: try #require(object["file"] as? String), line: try #require(object["line"] as? Int),
                    kind: try #require(object["kind"] as? String))
                return (finding, try #require(object["fingerprint"] as? String))
            }
        }
    }

    /// A token in quoted-printable text, whose URL is wrapped before the signature; a key of Redis far from its host; and a client secret
    /// with an encoded tilde.
    private static let knownMisses: Set = [
        "mail/sent/report-link.eml:12", "tools/warm_cache.py:7", "rest/requests.http:18",
    ]

    @Test(arguments: ["leaks", "leaks-from-help", "leaks-from-help-2", "leaks-encoded", "leaks-services"])
    func `finds each leak at its line, and identifies its key`(name: String) async throws {
        let corpus = try AuditCorpus(name)
        let secrets = corpus.secrets.filter { !Self.knownMisses.contains("\($0.file):\($0.line)") }
        let expected = secrets.map { Finding(file: $0.file, line: $0.line, kind: $0.kind) }
        let found = try await Self.findings(corpus)
        let missing = Self.difference(expected, found.map(\.finding))
        #expect(missing.isEmpty, "not found: \(missing)")
        let unexpected = Self.difference(found.map(\.finding), expected)
        #expect(unexpected.isEmpty, "not expected: \(unexpected)")

        let keys = secrets.filter { !$0.kind.lowercased().hasSuffix("token") }
        let fingerprints = Set(found.map(\.fingerprint))
        let wrong = keys.filter { !fingerprints.contains(SecretMatch.fingerprint(ofKey: Array($0.text.utf8))) }
        #expect(keys.count >= 50)
        #expect(wrong.isEmpty, "other fingerprints: \(wrong.map(\.file))")
    }

    @Test(arguments: [
        "lookalikes", "lookalikes-from-help", "lookalikes-from-help-2", "lookalikes-encoded", "lookalikes-services",
    ])
    func `reports nothing in look-alikes`(name: String) async throws {
        let corpus = try AuditCorpus(name)
        #expect(corpus.files.count >= 45)
        let found = try await Self.findings(corpus)
        #expect(found.isEmpty, "reported: \(found.map(\.finding))")
    }

    /// Returns the elements of one array that another one does not contain, or contains less often.
    private static func difference(_ elements: [Finding], _ others: [Finding]) -> [Finding] {
        var others = others
        return elements.filter { element in
            guard let index = others.firstIndex(of: element) else { return true }
            others.remove(at: index)
            return false
        }
    }
}

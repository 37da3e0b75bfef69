import Foundation
import NotificationHubs
import Testing

/// The rules for Firebase against a JSON schema of its API, with the bodies of `Tests/Scripts/client/firebase-schema`.
@Suite struct FirebaseSchemaTests {
    private static let path = ProcessInfo.processInfo.environment["HUB_FIREBASE_BODIES"]

    private struct Example: Decodable {
        let body: String
        let isValid: Bool
        /// The rule that the schema does not have, and that the body breaks.
        let reason: String?
    }

    /// Parts of the problems' texts, by the name of the rule.
    private static let rules = [
        "reserved": "Firebase reserves", "ttl": "from 0 to 28 days", "link": "HTTPS", "size": "accepts at most 4096",
        "validateOnly": "only validates",
    ]

    @Test(.enabled(if: path != nil)) func `agrees with the schema of Google's API`() throws {
        let text = try String(contentsOfFile: #require(Self.path), encoding: .utf8)
        var (valid, faulty, ruled) = (0, 0, 0)
        for line in text.split(separator: "\n") {
            let example = try JSONDecoder().decode(Example.self, from: Data(line.utf8))
            let problems = PushPlatform.fcmV1.problems(body: Array(example.body.utf8), headers: [:])
            let failures = problems.filter { $0.severity == .failure }
            if let reason = example.reason {
                let text = try #require(Self.rules[reason])
                #expect(failures.contains { $0.text.contains(text) }, "\(reason): \(example.body)")
            }
            let others = failures.filter { failure in !Self.rules.values.contains { failure.text.contains($0) } }
            #expect((example.isValid ? others : failures).isEmpty == example.isValid, "\(example.body)\n\(failures)")
            if !example.isValid { faulty += 1 } else if failures.isEmpty { valid += 1 } else { ruled += 1 }
        }
        #expect(valid > 100 && faulty > 100 && ruled > 10)
        print("agree: \(valid) valid, \(faulty) with a fault, \(ruled) that break a rule without a schema")
    }
}

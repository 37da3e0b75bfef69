import Foundation
import HubTestSupport
import SharedAccessSignature
import Testing

/// Runs the token format's test suite, `Fixtures/sas/tokens.json`. Its verdicts follow from how
/// each case was constructed, not from this library: see `Tests/Scripts/tokens`.
@Suite struct TokenSuiteTests {
    struct TokenSuite: Decodable {
        let cases: [TokenCase]
    }

    struct TokenCase: Decodable, Sendable {
        struct Key: Decodable, Sendable {
            let name: String
            let secret: String
        }

        let name: String
        let token: String
        let keys: [Key]
        let resource: String
        let now: Int64
        let leeway: Int64?
        let maximumLifetime: Int64?
        let ignoringPort: Bool?
        let verdict: String
        let reasons: [String]
        let field: String?

        var sharedKeys: [SharedAccessKey] { keys.map { SharedAccessKey(name: $0.name, secret: $0.secret) } }
    }

    let cases: [TokenCase]

    init() throws {
        let data = try Data(contentsOf: Fixtures.url("sas/tokens.json"))
        cases = try JSONDecoder().decode(TokenSuite.self, from: data).cases
    }

    @Test func `returns the expected verdict for each case`() throws {
        #expect(cases.count >= 400)
        for test in cases {
            #expect(try verdict(test) == [test.verdict] + test.reasons, "\(test.name)")
        }
    }

    @Test func `names the malformed field without printing the token`() throws {
        for test in cases where test.verdict == "malformed" {
            let error = #expect(throws: SASTokenError.self, "\(test.name)") { try SASToken(test.token) }
            guard let error else { continue }
            let offset = try #require(error.offset)
            #expect(offset >= 0 && offset <= test.token.utf8.count, "\(test.name)")
            if let field = test.field {
                #expect("\(error)".contains(" \(field)"), "\(test.name): \(error)")
            }
            if test.token.utf8.count > 60 { #expect(!"\(error)".contains(test.token.suffix(40)), "\(test.name)") }
        }
    }

    @Test func `returns the expected verdicts for batches`() throws {
        struct Configuration: Hashable {
            let keys: [[UInt8]]
            let resource: [UInt8]
            let numbers: [Int64?]
        }
        let groups = Dictionary(grouping: cases.filter { $0.verdict != "malformed" }) {
            Configuration(
                keys: $0.keys.flatMap { [Array($0.name.utf8), Array($0.secret.utf8)] },
                resource: Array($0.resource.utf8),
                numbers: [$0.now, $0.leeway, $0.maximumLifetime, $0.ignoringPort == true ? 1 : 0])
        }
        for tests in groups.values {
            guard let resource = try? SASResource(tests[0].resource) else { continue }
            let tokens = try tests.map { try SASToken($0.token) }
            let verdicts = verifier(tests[0]).verify(batch: tokens, for: resource, now: tests[0].now)
            for (test, verdict) in zip(tests, verdicts) {
                #expect(reasons(verdict) == [test.verdict] + test.reasons, "\(test.name)")
            }
        }
        #expect(groups.values.contains { $0.count > 20 })
    }

    private func verdict(_ test: TokenCase) throws -> [String] {
        guard let token = try? SASToken(test.token) else { return ["malformed"] }
        guard let resource = try? SASResource(test.resource) else { return ["refused", "outOfScope"] }
        let verifier = verifier(test)
        return reasons(
            Result { () throws(SASTokenError) in try verifier.verify(token, for: resource, now: test.now) })
    }

    private func reasons(_ verdict: Result<SASClaims, SASTokenError>) -> [String] {
        switch verdict {
        case .success: ["valid"]
        case .failure(let error): ["refused"] + error.codes.map(\.rawValue)
        }
    }

    private func verifier(_ test: TokenCase) -> SASVerifier {
        SASVerifier(
            keys: test.sharedKeys, leeway: .seconds(test.leeway ?? 0),
            maximumLifetime: test.maximumLifetime.map { .seconds($0) }, ignoringPort: test.ignoringPort ?? false)
    }
}

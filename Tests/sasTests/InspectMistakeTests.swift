import Foundation
import HubCrypto
import HubTestSupport
import Testing

@Suite(.timeLimit(.minutes(30))) struct InspectMistakeTests {
    private static let resource = "https%3A%2F%2FContoso.net%2Fhub"
    private static let key = "ab+/Nzg5YWJjZGVmMDEyMzQ1Njc4OWFiY2RlZjAxMj0="

    private static func token(
        key: String = key, over signedResource: String = resource, skn: String = "&skn=rule"
    ) -> String {
        let code = HMAC.Key(data: Array(key.utf8)).authenticationCode(for: Array("\(signedResource)\n1700003600".utf8))
        return token(signature: Data(code), skn: skn)
    }

    private static func token(signature: Data, skn: String = "&skn=rule") -> String {
        let signature = signature.base64EncodedString().addingPercentEncoding(withAllowedCharacters: .alphanumerics)
        return "SharedAccessSignature sr=\(resource)&sig=\(signature ?? "")&se=1700003600\(skn)"
    }

    private func inspect(_ token: String, key: String = key, _ options: [String] = []) async throws -> (
        key: String, kinds: [String], problems: [String], status: Int32
    ) {
        let outcome = try await SASProgram.run(
            ["inspect", "--json", "--now", "1700000000", "--key-name", "rule", "--key-env", "GIVEN"] + options,
            input: token, environment: ["GIVEN": key], hiding: [Self.key, String(Self.key.dropLast())])
        let object = try #require(try SASProgram.objects(outcome.output).first)
        let findings = object["findings"] as? [[String: Any]] ?? []
        return (
            object["key"] as? String ?? "", findings.compactMap { $0["kind"] as? String },
            findings.compactMap { $0["text"] as? String }, outcome.status
        )
    }

    @Test(arguments: [
        (" \(key)", "whitespace"), ("\(key)\n", "a line break"), ("\"\(key)\"", "quotes"),
        ("\u{feff}\(key)", "a byte order mark"), (String(key.dropLast()), "lacks the trailing ="),
        ("ab /Nzg5YWJjZGVmMDEyMzQ1Njc4OWFiY2RlZjAxMj0=", "spaces instead of plus signs"),
        ("ab%2B%2FNzg5YWJjZGVmMDEyMzQ1Njc4OWFiY2RlZjAxMj0%3D", "is percent-encoded"),
        ("SharedAccessKey=\(key)", "a field name"),
        ("Endpoint=sb://x/;SharedAccessKeyName=rule;SharedAccessKey=\(key);EntityPath=x", "a connection string"),
    ])
    func `distinguishes a malformed given key from a wrong signature`(given: String, difference: String) async throws {
        let outcome = try await inspect(Self.token(), key: given)
        #expect(outcome.key.contains("but the given key") && outcome.key.contains(difference))
        #expect(outcome.kinds == ["inexactKey"])
        #expect(outcome.problems.first?.hasPrefix("the signature is valid") == true)
        #expect(outcome.status == 1)
    }

    @Test(arguments: [
        (String(key.dropLast()), "without its trailing ="),
        ("ab /Nzg5YWJjZGVmMDEyMzQ1Njc4OWFiY2RlZjAxMj0=", "form decoding"),
        ("ab%2B%2FNzg5YWJjZGVmMDEyMzQ1Njc4OWFiY2RlZjAxMj0%3D", "percent-encoded"),
        ("ab%2b%2fNzg5YWJjZGVmMDEyMzQ1Njc4OWFiY2RlZjAxMj0%3d", "percent-encoded"),
        ("SharedAccessKey=\(key)", "before it"),
    ])
    func `identifies a mistake in the signer's key`(signed: String, mistake: String) async throws {
        let outcome = try await inspect(Self.token(key: signed))
        #expect(outcome.key.contains(mistake))
        #expect(outcome.kinds == ["signedIncorrectly"])
    }

    @Test(arguments: [false, true]) func `identifies a key in UTF-16`(isBigEndian: Bool) async throws {
        let bytes = Self.key.utf8.flatMap { byte -> [UInt8] in isBigEndian ? [0, byte] : [byte, 0] }
        let code = HMAC.Key(data: bytes).authenticationCode(for: Array("\(Self.resource)\n1700003600".utf8))
        let outcome = try await inspect(Self.token(signature: Data(code)))
        #expect(outcome.key.contains("the key was used in UTF-16 (use UTF-8)"))
        #expect(outcome.kinds == ["signedIncorrectly"])
    }

    @Test(arguments: ["", key]) func `identifies a plain SHA-256`(prefix: String) async throws {
        let digest = SHA256.hash(data: Array("\(prefix)\(Self.resource)\n1700003600".utf8))
        let outcome = try await inspect(Self.token(signature: Data(digest)))
        #expect(outcome.key.contains("sig is a plain SHA-256 (compute an HMAC-SHA256 with the key)"))
        #expect(outcome.kinds == ["signedIncorrectly"])
    }

    @Test func `identifies a whole connection string used as the key`() async throws {
        let string = "Endpoint=sb://contoso.net/;SharedAccessKeyName=rule;SharedAccessKey=\(Self.key)"
        let outcome = try await SASProgram.run(
            ["inspect", "--now", "1700000000", "--connection-string-env", "GIVEN"], input: Self.token(key: string),
            environment: ["GIVEN": string], hiding: [Self.key])
        #expect(outcome.output.contains("the whole connection string was used as the key"))
    }

    @Test(arguments: [
        ("https%3A%2F%2Fcontoso.net%2Fhub", "in lower case"), ("https%3a%2f%2fcontoso.net%2fhub", "in lower case"),
        ("sb%3A%2F%2FContoso.net%2Fhub", "the scheme sb, unlike in the token"),
        ("sb://Contoso.net/hub", "the scheme sb, unlike in the token"),
        ("Contoso.net%2Fhub", "without the token's scheme"), ("Contoso.net/hub", "without the token's scheme"),
    ])
    func `identifies a mistake in the signer's resource`(signed: String, mistake: String) async throws {
        let outcome = try await inspect(Self.token(over: signed))
        #expect(outcome.key.contains(mistake))
        #expect(outcome.kinds == ["signedIncorrectly"])
    }

    @Test func `does not report a missing key name as another policy`() async throws {
        let outcome = try await inspect(Self.token(skn: ""))
        #expect(outcome.kinds == ["missingField"])
        #expect(outcome.key == "signed with the key of policy rule")
    }

    private static let good = token()
    private static let wrapped: [(String, [String])] = [
        ("\"Authorization: \(good)\"", ["quoted", "headerName"]), ("Authorization=\(good)", ["headerName"]),
        ("-H 'Authorization: \(good)'", ["quoted", "headerName"]), ("ServiceBusAuthorization: \(good)", ["headerName"]),
        ("\"Authorization\": \"\(good)\"", ["quoted", "headerName"]), ("Bearer \"\(good)\"", ["bearer", "quoted"]),
        ("SharedAccessSignature=" + good.dropFirst("SharedAccessSignature ".count), ["connectionStringField"]),
        ("curl -H \"Authorization: \(good)\" https://contoso.net", ["surroundingText"]),
        ("token: \(good)", ["surroundingText"]),
    ]

    @Test(arguments: representatives(wrapped))
    func `reports only the text around a token`(text: String, kinds: [String]) async throws {
        let outcome = try await inspect(text)
        #expect(Set(outcome.kinds) == Set(kinds))
        #expect(outcome.key == "signed with the key of policy rule")
    }

    @Test(arguments: [
        ("Endpoint=sb://x/;SharedAccessKeyName=a;SharedAccessKey=\(key)", "a connection string"),
        ("eyJhbGciOiJub25l.eyJhbGciOiJub25l.eyJhbGciOiJub25l", "a JSON Web Token"), (key, "a key"),
        ("hello", "not a shared access signature"),
    ])
    func `identifies other credentials`(text: String, description: String) async throws {
        let outcome = try await inspect(text)
        #expect(outcome.kinds == ["noToken"])
        #expect(outcome.problems.first?.contains(description) == true)
    }
}

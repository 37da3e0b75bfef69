import Foundation
import HubCrypto
import HubTestSupport
import Testing

@Suite(.timeLimit(.minutes(30))) struct InspectMistakeTests {
    private static let place = "https%3A%2F%2FContoso.net%2Fhub"
    private static let key = "ab+/Nzg5YWJjZGVmMDEyMzQ1Njc4OWFiY2RlZjAxMj0="

    private static func token(
        key: String = key, over resource: String = place, place: String = place, skn: String = "&skn=rule"
    ) -> String {
        let code = HMAC.Key(data: Array(key.utf8)).authenticationCode(for: Array("\(resource)\n1700003600".utf8))
        let signature = Data(code).base64EncodedString().addingPercentEncoding(withAllowedCharacters: .alphanumerics)
        return "SharedAccessSignature sr=\(place)&sig=\(signature ?? "")&se=1700003600\(skn)"
    }

    private func inspect(_ token: String, key: String = key, _ options: [String] = []) async throws -> (
        said: String, kinds: [String], problems: [String], status: Int32
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
        (" \(key)", "white space"), ("\(key)\n", "a line break"), ("\"\(key)\"", "quotes"),
        ("\u{feff}\(key)", "a byte order mark"), (String(key.dropLast()), "no = at its end"),
        ("ab /Nzg5YWJjZGVmMDEyMzQ1Njc4OWFiY2RlZjAxMj0=", "spaces where plus signs"),
        ("ab%2B%2FNzg5YWJjZGVmMDEyMzQ1Njc4OWFiY2RlZjAxMj0%3D", "percent-encoding"),
        ("SharedAccessKey=\(key)", "field's name"),
        ("Endpoint=sb://x/;SharedAccessKeyName=rule;SharedAccessKey=\(key);EntityPath=x", "connection string"),
    ])
    func `does not blame a right token for the key given here`(given: String, what: String) async throws {
        let outcome = try await inspect(Self.token(), key: given)
        #expect(outcome.said.contains("but the key given here has") && outcome.said.contains(what))
        #expect(outcome.kinds == ["keyGivenOtherwise"])
        #expect(outcome.problems.first?.hasPrefix("the token is right") == true)
        #expect(outcome.status == 1)
    }

    @Test(arguments: [
        (String(key.dropLast()), "without the ="), ("ab /Nzg5YWJjZGVmMDEyMzQ1Njc4OWFiY2RlZjAxMj0=", "read as a form"),
        ("ab%2B%2FNzg5YWJjZGVmMDEyMzQ1Njc4OWFiY2RlZjAxMj0%3D", "percent-encoded"),
        ("ab%2b%2fNzg5YWJjZGVmMDEyMzQ1Njc4OWFiY2RlZjAxMj0%3d", "percent-encoded"),
        ("SharedAccessKey=\(key)", "before the key"),
    ])
    func `knows what the signer made of the key`(signed: String, what: String) async throws {
        let outcome = try await inspect(Self.token(key: signed))
        #expect(outcome.said.contains(what))
        #expect(outcome.kinds == ["signedOtherwise"])
    }

    @Test func `knows a whole connection string that signed`() async throws {
        let string = "Endpoint=sb://contoso.net/;SharedAccessKeyName=rule;SharedAccessKey=\(Self.key)"
        let outcome = try await SASProgram.run(
            ["inspect", "--now", "1700000000", "--connection-string-env", "GIVEN"], input: Self.token(key: string),
            environment: ["GIVEN": string], hiding: [Self.key])
        #expect(outcome.output.contains("with the whole connection string for a key"))
    }

    @Test(arguments: [
        ("https%3A%2F%2Fcontoso.net%2Fhub", "in lower case"), ("https%3a%2f%2fcontoso.net%2fhub", "in lower case"),
        ("sb%3A%2F%2FContoso.net%2Fhub", "another scheme than the token's, sb"),
        ("sb://Contoso.net/hub", "another scheme than the token's, sb"),
        ("Contoso.net%2Fhub", "without its scheme"), ("Contoso.net/hub", "without its scheme"),
    ])
    func `knows what the signer made of the resource`(signed: String, what: String) async throws {
        let outcome = try await inspect(Self.token(over: signed))
        #expect(outcome.said.contains(what))
        #expect(outcome.kinds == ["signedOtherwise"])
    }

    @Test func `does not take a missing name for another`() async throws {
        let outcome = try await inspect(Self.token(skn: ""))
        #expect(outcome.kinds == ["missingField"])
        #expect(outcome.said == "signed by the key of rule")
    }

    private static let good = token()
    private static let wrapped: [(String, [String])] = [
        ("\"Authorization: \(good)\"", ["quoted", "headerName"]), ("Authorization=\(good)", ["headerName"]),
        ("-H 'Authorization: \(good)'", ["quoted", "headerName"]), ("ServiceBusAuthorization: \(good)", ["headerName"]),
        ("\"Authorization\": \"\(good)\"", ["quoted", "headerName"]), ("Bearer \"\(good)\"", ["bearer", "quoted"]),
        ("SharedAccessSignature=" + good.dropFirst("SharedAccessSignature ".count), ["connectionStringField"]),
        ("curl -H \"Authorization: \(good)\" https://contoso.net", ["textAround"]), ("token: \(good)", ["textAround"]),
    ]

    @Test(arguments: representatives(wrapped))
    func `names nothing but what stands around a token`(text: String, kinds: [String]) async throws {
        let outcome = try await inspect(text)
        #expect(Set(outcome.kinds) == Set(kinds))
        #expect(outcome.said == "signed by the key of rule")
    }

    @Test(arguments: [
        ("Endpoint=sb://x/;SharedAccessKeyName=a;SharedAccessKey=\(key)", "a connection string"),
        ("eyJhbGciOiJub25l.eyJhbGciOiJub25l.eyJhbGciOiJub25l", "a JSON Web Token"), (key, "a key"),
        ("https://x/y?sv=2022-11-02&se=2026&sig=abc", "Azure Storage"), ("hello", "no shared access signature"),
    ])
    func `says what it is that is no token`(text: String, what: String) async throws {
        let outcome = try await inspect(text)
        #expect(outcome.kinds == ["noToken"])
        #expect(outcome.problems.first?.contains(what) == true)
    }
}

import Foundation
import HubCrypto
import HubTestSupport
import Testing

@Suite(.timeLimit(.minutes(30))) struct InspectTests {
    private static func replaced(_ text: String, _ part: String, _ other: String) -> String {
        text.replacingOccurrences(of: part, with: other)
    }

    @Test func `explains each field and redacts the signature`() async throws {
        let token = try await SASProgram.token(expiry: 1_700_003_599)
        let outcome = try await SASProgram.run(
            ["inspect", "--now", "1700000000"], input: token + "\n", hiding: [SASProgram.signature(of: token)])
        #expect(
            outcome.output
                == """
                sr        https%3A%2F%2Fcontoso.servicebus.windows.net%2Fhub
                          https://contoso.servicebus.windows.net/hub
                sig       (redacted) 44 characters after decoding: 32 bytes in canonical Base64
                se        1700003599
                          2023-11-14T23:13:19Z, expires in 1 hour
                skn       rule
                signed    https%3A%2F%2Fcontoso.servicebus.windows.net%2Fhub\\n1700003599
                encoding  standard, verbatim, python, eventhubs-java
                result: valid (signature not checked: no key given)

                """)
        #expect(outcome.status == 0)
    }

    @Test(arguments: [
        (1, "1970-01-01T00:00:01Z, expired 53 years ago"), (951_782_400, "2000-02-29T00:00:00Z, expired 23 years ago"),
        (1_699_740_800, "2023-11-11T22:13:20Z, expired 3 days ago"), (1_700_000_000, "expired just now"),
        (1_700_000_001, "expires in 1 second"), (1_700_007_200, "expires in 2 hours"),
        (1_700_007_139, "expires in 1 hour"), (1_700_007_140, "expires in 2 hours"),
        (1_702_591_999, "expires in 30 days"),
        (253_402_300_799, "9999-12-31T23:59:59Z"), (253_402_300_800, "second 253402300800 since 1970"),
        (Int64.max, "second 9223372036854775807 since 1970"),
    ])
    func `describes the expiry relative to now`(expiry: Int64, text: String) async throws {
        let outcome = try await SASProgram.run(
            ["inspect", "--now", "1700000000"], input: try await SASProgram.token(expiry: expiry))
        #expect(outcome.output.contains(text))
        let isGood = expiry > 1_700_000_000 && expiry < Int64.max
        #expect(outcome.status == (isGood ? 0 : 1))
        #expect(outcome.output.contains("\nresult: \(isGood ? "valid" : "invalid")"))
    }

    @Test func `identifies each library's encoding`() async throws {
        let fields = ["key", "keyName", "url", "encoding", "expiry", "token"]
        for known in representatives(try Vectors.cases("sas/tokens.vectors", fields: fields), count: 8) {
            let object = try await inspect(known.text("token"))
            let encodings = try #require(object["encodings"] as? [String])
            #expect(encodings.contains(try known.text("encoding")), "\(known)")
        }
    }

    private static let resource = "https%3A%2F%2Fcontoso.net%2Fhub"
    private static let signature = "8UM0iIfFCfeBSqxSdBMW8pUbhAm7mnjSUaIZTZx8V0g%3D"
    private static let good = token()

    /// Returns a token with the given fields. An empty field is omitted.
    private static func token(
        sr: String = resource, sig: String = signature, se: String = "1700003600", skn: String = "rule"
    ) -> String {
        let fields = [("sr", sr), ("sig", sig), ("se", se), ("skn", skn)]
        return "SharedAccessSignature " + fields.filter { !$1.isEmpty }.map { "\($0)=\($1)" }.joined(separator: "&")
    }

    private static let problems: [(String, [String])] = [
        (good, []), ("", ["empty"]), ("\"\(good)\"", ["quoted"]), ("Bearer \(good)", ["bearer"]),
        ("SharedAccessSignature=\(good)", ["connectionStringField"]),
        (replaced(good, "&", "&amp;"), ["htmlEscaped"]),
        (replaced(good, "&", "\\u0026"), ["jsonEscaped"]),
        ("SharedAccessSignature%20sr%3Da%26sig%3D\(signature)%26se%3D9999999999%26skn%3Drule", ["tokenEncoded"]),
        (String(good.dropFirst("SharedAccessSignature ".count)), ["missingScheme"]),
        (replaced(good, "Signature sr", "Signature\tsr"), ["missingSpace"]),
        (replaced(good, "&se", "\n&se"), ["lineBreak"]),
        (replaced(good, "&se", " &se"), ["whitespace"]), (good + "\u{e9}", ["notASCII"]),
        (good + "&foo=bar", ["unknownField"]), (good + "&", ["unknownField"]), (good + "&se=1", ["duplicateField"]),
        (token(sr: ""), ["missingField"]), (token(sig: ""), ["missingField"]), (token(se: ""), ["missingField"]),
        (token(skn: ""), ["missingField"]), (token(skn: "") + "&skn=", ["emptyField"]),
        (token(skn: "a%2"), ["invalidEscape"]), (good + String(repeating: "x", count: 9000), ["tooLong"]),
        (token(sr: "https://contoso.net/hub"), ["resourceNotEncoded"]),
        (token(sr: "https%253A%252F%252Fcontoso.net%252Fhub"), ["resourceEncodedTwice"]),
        (token(sr: "https%3A%2F%2Fcontoso.net%2F..%2Fhub"), ["invalidResource"]),
        (token(sr: "%ff"), ["resourceNotUTF8"]),
        (token(sr: "https%3a%2F%2Fcontoso.net%2Fhub"), ["mixedEscapes"]),
        (token(sr: "http%3A%2F%2Fcontoso.net%2Fhub"), ["plainHTTP"]),
        (token(sr: resource + "%3Fapi-version"), ["hasQuery"]),
        (token(sr: "https%3A%2F%2Fcontoso.net%2F"), ["wholeNamespace"]),
        (token(sr: resource + "%2F"), ["trailingSlash"]), (token(se: "1699999999"), ["expired"]),
        (token(se: "1701000000"), ["longLifetime"]), (token(se: "1800000000"), ["veryLongLifetime"]),
        (token(se: "1700003600000"), ["milliseconds"]), (token(se: "1700003600000000"), ["microseconds"]),
        (token(se: "2023-11-15T00%3A00%3A00Z"), ["dateText"]), (token(se: "1700003600.5"), ["fraction"]),
        (token(se: "soon"), ["invalidExpiry"]), (token(se: "9223372036854775808"), ["expiryTooLarge"]),
        (token(se: "01700003600"), ["leadingZeros"]),
        (token(sig: "8UM0iIfFCfeBSqxSdBMW8pUbhAm7mnjSUaIZTZx-V_g%3D"), ["urlSafeBase64"]),
        (token(sig: "8UM0iIfFCfeBSqxSdBMW8pUbhAm7mnjSUaIZTZx8V0g"), ["missingPadding"]),
        (token(sig: "8UM0iIfFCfeBSqxSdBMW8pUbhAm7mnjSUaIZTZx8V0h%3D"), ["notCanonical"]),
        (token(sig: "8UM0+IfFCfeBSqxSdBMW8pUbhAm7mnjSUaIZTZx8V0g%3D"), ["unescapedPlus"]),
        (token(sig: "8UM0%20IfFCfeBSqxSdBMW8pUbhAm7mnjSUaIZTZx8V0g%3D"), ["spaceInSignature"]),
        (token(sig: "8UM0iIfFCfeBSqxSdBMW8pUbhAm7mnjSUaIZTZx8V0g%253D"), ["signatureEncodedTwice"]),
        (token(sig: String(repeating: "8f", count: 32)), ["hexadecimal"]),
        (token(sig: "8UM0iIfFCfeBSqxSdBMW8pUbhAk%3D"), ["signatureLength"]),
        (token(sig: "*"), ["invalidSignatureText"]),
        (token(skn: "a%2525b"), ["keyNameEncodedTwice"]), (token(skn: "rule%0A"), ["lineBreakInKeyName"]),
        (token(skn: "rule%20"), ["spaceInKeyName"]),
    ]

    @Test(arguments: representatives(problems, count: 8))
    func `reports problems by kind`(token: String, kinds: [String]) async throws {
        let object = try await inspect(token)
        let findings = try #require(object["findings"] as? [[String: Any]])
        let found = findings.compactMap { $0["kind"] as? String }
        #expect(Set(kinds).isSubset(of: found), "\(found)")
        if kinds.isEmpty { #expect(found.isEmpty) }
        // A token that the parser rejects must have a problem.
        let hasProblem = findings.contains { $0["problem"] as? Bool == true }
        #expect(object["valid"] as? Bool == !hasProblem)
        if object["wellFormed"] as? Bool == false { #expect(hasProblem) }
    }

    private static let expiry = "1700003600"
    private static let messages: [(String, String?)] = [
        ("\(resource)\n\(expiry)", nil), ("\(resource)\r\n\(expiry)", "with CRLF"),
        ("\(resource)\(expiry)", "without a line feed"), ("\(resource)\\n\(expiry)", "a backslash and an n"),
        ("\(expiry)\n\(resource)", "se was signed before sr"),
        ("\(resource)\n\(expiry)\n", "a line feed was signed after se"),
        (resource, "sr was signed without se"), ("https://contoso.net/hub\n\(expiry)", "before percent-encoding"),
        ("\(resource.lowercased())\n\(expiry)", "lower-case escapes"),
        ("\(resource)%2F\n\(expiry)", "a trailing slash"),
        (replaced("\(resource)\n\(expiry)", "https", "http"), "the scheme http"),
        (replaced("\(resource)\n\(expiry)", "%", "%25"), "encoded once more"),
        ("\(resource)\n\(expiry)0", "not signed with a given key"),
    ]

    @Test(arguments: representatives(messages))
    func `identifies a mistake in the signed string`(message: String, mistake: String?) async throws {
        try await expect(mistake, message, key: Array(SASProgram.key.utf8))
    }

    @Test func `identifies a mistake in the key`() async throws {
        let message = "\(Self.resource)\n1700003600"
        try await expect("decoded from Base64", message, key: Array("0123456789abcdef0123456789abcdef".utf8))
        try await expect("a trailing line break", message, key: Array((SASProgram.key + "\n").utf8))
        try await expect("quotes around it", message, key: Array("\"\(SASProgram.key)\"".utf8))
    }

    private func expect(_ mistake: String?, _ message: String, key: [UInt8], _ options: [String] = []) async throws {
        let code = HMAC.Key(data: key).authenticationCode(for: Array(message.utf8))
        let text = Data(code).base64EncodedString()
        let signature = text.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
        let outcome = try await SASProgram.run(
            ["inspect", "--json", "--now", "1700000000"] + SASProgram.keyOptions + options,
            input: Self.token(sig: signature), hiding: [signature, text])
        let result = try #require(try SASProgram.objects(outcome.output).first?["key"] as? String)
        if let mistake {
            #expect(result.contains(mistake))
        } else {
            #expect(result == "signed with the key of policy rule")
        }
        #expect(outcome.status == (mistake == nil ? 0 : 1))
    }

    @Test func `redacts a signature in another field`() async throws {
        let secret = "8UM0iIfFCfeBSqxSdBMW8pUbhAm7mnjSUaIZTZx8V0g"
        let encodedTwice = Self.signature.replacingOccurrences(of: "%", with: "%2525")
        for (token, message) in [
            (Self.token(sr: Self.signature), SASProgram.redacted),
            (Self.token(se: Self.signature), SASProgram.redacted),
            (Self.token(skn: secret + "="), SASProgram.redacted),
            (Self.token(sr: "a%26sig%3D" + Self.signature), SASProgram.redacted),
            ("SharedAccessSignature sr=" + encodedTwice, SASProgram.redacted),
            ("SharedAccessSignature signature=" + Self.signature, "unknown field (allowed: "),
            (Self.signature, "not a shared access signature"),
        ] {
            for options in [[], ["--json"]] {
                let outcome = try await SASProgram.run(["inspect"] + options, input: token, hiding: [secret])
                #expect(outcome.output.contains(message))
            }
        }
    }

    private func inspect(_ token: String) async throws -> [String: Any] {
        let outcome = try await SASProgram.run(
            ["inspect", "--json", "--now", "1700000000"], input: token,
            hiding: ["8UM0iIfFCfeBSqxSdBMW8pUbhAm7mnjSUaIZTZx8V0g"])
        #expect(outcome.error.isEmpty)
        return try #require(try SASProgram.objects(outcome.output).first)
    }
}

import SharedAccessSignature
import Testing

@Suite struct SASEncodingTests {
    @Test(arguments: try KnownToken.all.get())
    func `signs the same tokens as other libraries, byte for byte`(known: KnownToken) {
        let signer = SASSigner(key: known.key, resource: known.url, encoding: known.encoding)
        #expect(signer.token(expiringAt: known.expiry).headerValue == known.token)
    }

    static let url = "SB://Host.Net:444/My Hub/x-_.~!*'()+?a=b&c=d"

    @Test(
        arguments: [
            (.standard, "https%3A%2F%2Fhost.net%3A444%2Fmy%20hub%2Fx-_.~%21%2A%27%28%29%2B"),
            (.verbatim, "SB%3A%2F%2FHost.Net%3A444%2FMy%20Hub%2Fx-_.~%21%2A%27%28%29%2B%3Fa%3Db%26c%3Dd"),
            (.dotNet, "http%3a%2f%2fhost.net%2fmy+hub%2fx-_.%7e!*%27()%2b%2f"),
            (.dotNetFramework, "http%3A%2F%2Fhost.net%2Fmy+hub%2Fx-_.%7E!*%27()%2B%2F"),
            (.serviceBusDotNet, "https%3A%2F%2FHost.Net%3A444%2FMy+Hub%2Fx-_.%7E!*%27()%2B%2F"),
            (.javaScript, "https%3A%2F%2Fhost.net%3A444%2F"),
            (.java, "https%3a%2f%2fhost.net%3a444%2fmy+hub%2fx-_.%7e%21*%27%28%29%2b%3fa%3db%26c%3dd"),
            (.iOS, "http%3a%2f%2fhost.net%3a444%2fmy%20hub%2fx-_.~%21%2a%27%28%29%2b%3fa%3db%26c%3dd"),
            (.swiftTutorial, "SB%3a%2f%2fHost.Net%3a444%2fMy%20Hub%2fx-_.~%21%2a%27%28%29%2b%3fa%3db%26c%3dd"),
            (.go, "sb%3a%2f%2fhost.net%3a444%2fmy+hub%2fx-_.~%21%2a%27%28%29%2b%3fa%3db%26c%3dd"),
            (.python, "SB%3A%2F%2FHost.Net%3A444%2FMy+Hub%2Fx-_.~%21%2A%27%28%29%2B%3Fa%3Db%26c%3Dd"),
            (.eventHubsJava, "SB%3A%2F%2FHost.Net%3A444%2FMy+Hub%2Fx-_.%7E%21*%27%28%29%2B%3Fa%3Db%26c%3Dd"),
        ] as [(SASEncoding, String)])
    func `encodes the resource like each library`(encoding: SASEncoding, text: String) {
        #expect(fields(encoding, url: Self.url)["sr"] == text)
    }

    @Test(arguments: [
        ("contoso.net?u=x://evil.net/a", "contoso.net"), ("contoso.net#x://evil.net", "contoso.net"),
        ("9x://h/a", "9x%3A%2F%2Fh%2Fa"), ("user@contoso.net?x://evil", "user%40contoso.net"),
        ("https://h/hub#x", "https%3A%2F%2Fh%2Fhub"), ("https://h/hub/", "https%3A%2F%2Fh%2Fhub"),
        ("a/b://c", "a%2Fb%3A%2F%2Fc"), ("+x://h/a", "%2Bx%3A%2F%2Fh%2Fa"),
    ])
    func `detects only valid schemes, and drops fragments and a trailing slash`(url: String, text: String) {
        #expect(fields(.standard, url: url)["sr"] == text)
    }

    @Test func `drops a fragment that follows the host`() {
        #expect(fields(.javaScript, url: "https://h#x")["sr"] == "https%3A%2F%2Fh%2F")
    }

    @Test func `drops the port but not part of an IPv6 address`() {
        #expect(fields(.dotNet, url: "https://[::1]/h")["sr"] == "http%3a%2f%2f%5b%3a%3a1%5d%2fh%2f")
        #expect(fields(.dotNet, url: "https://[::]/h")["sr"] == "http%3a%2f%2f%5b%3a%3a%5d%2fh%2f")
        #expect(fields(.dotNet, url: "https://[::1]:5/h")["sr"] == "http%3a%2f%2f%5b%3a%3a1%5d%2fh%2f")
    }

    @Test func `encodes the signature like each library`() {
        let lowerCase: Set = [SASEncoding.dotNet, .swiftTutorial]
        for encoding in SASEncoding.allCases {
            let signatures = (0..<200).map { fields(encoding, url: "r", expiry: $0)["sig"] ?? "" }
            #expect(signatures.allSatisfy { $0.hasSuffix(lowerCase.contains(encoding) ? "%3d" : "%3D") })
            #expect(signatures.contains { $0.contains(lowerCase.contains(encoding) ? "%2b" : "%2B") })
            let slash = lowerCase.contains(encoding) ? "%2f" : "%2F"
            #expect(signatures.contains { $0.contains(slash) })
            #expect(signatures.allSatisfy { !$0.contains("/") })
        }
    }

    @Test(
        arguments: [
            (.standard, "a%20%2B%C3%B6"), (.dotNet, "a+%2b%c3%b6"), (.javaScript, "a%20%2B%C3%B6"),
            (.go, "a+%2b%c3%b6"),
            (.python, "a%2B%252B%25C3%25B6"), (.eventHubsJava, "a+%2B%C3%B6"),
        ] as [(SASEncoding, String)])
    func `encodes the key name like each library`(encoding: SASEncoding, text: String) {
        #expect(fields(encoding, url: "r", keyName: "a +ö")["skn"] == text)
    }

    @Test(arguments: [("!+/~%20", "!+/~%20"), ("a b", "a%20b"), ("a&b", "a%26b"), ("a\u{7f}", "a%7f"), ("a%", "a%25")])
    func `writes a key name unencoded, as the iOS SDK does, unless it is ambiguous`(name: String, text: String) {
        #expect(fields(.iOS, url: "r", keyName: name)["skn"] == text)
    }

    @Test func `has stable names`() {
        let names = [
            "standard", "verbatim", "dotnet", "dotnet-framework", "javascript", "java", "ios", "swift-tutorial", "go",
            "python", "eventhubs-java", "servicebus-dotnet",
        ]
        #expect(SASEncoding.allCases.map(\.rawValue) == names)
    }

    @Test func `signs verifiable tokens in every encoding`() throws {
        let key = SharedAccessKey(name: "a rule+ö&x=%2B", secret: "s")
        // Some encodings omit the port.
        let verifier = SASVerifier(keys: [key], ignoringPort: true)
        let resource = try SASResource(Self.url)
        for encoding in SASEncoding.allCases {
            let token = SASSigner(key: key, resource: Self.url, encoding: encoding).token(expiringAt: 9)
            _ = try verifier.verify(SASToken(token.headerValue), for: resource, now: 1)
        }
    }

    private func fields(
        _ encoding: SASEncoding, url: String, keyName: String = "n", expiry: Int64 = 1
    ) -> [String: String] {
        let key = SharedAccessKey(name: keyName, secret: "s")
        let text = SASSigner(key: key, resource: url, encoding: encoding).token(expiringAt: expiry).headerValue
        let pairs = text.dropFirst("SharedAccessSignature ".count).split(separator: "&").map { field in
            let parts = field.split(separator: "=", maxSplits: 1)
            return (String(parts[0]), String(parts[1]))
        }
        return Dictionary(uniqueKeysWithValues: pairs)
    }
}

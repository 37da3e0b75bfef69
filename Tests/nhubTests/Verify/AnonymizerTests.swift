import Foundation
import NotificationHubs
import NotificationHubsEmulator
import Testing

@testable import nhub

@Suite struct AnonymizerTests {
    private static let names = VerifyNames()
    private static let container = "https://account.blob.core.windows.net/box?sv=2020&sig=abc%2Bdef%3D"
    /// The texts that a recording must not contain.
    private static let identity = [
        "contoso-ns", "contoso-ns.servicebus.windows.net", "Push-Hub-7", "AppBackendPolicy",
        names.run, names.channel(.apple).handle, names.channel(.windows).handle, "account.blob.core.windows.net",
    ]
    /// A key, and IDs and times of the service.
    private static let opaque = [
        "mGqBUPt0ZBUyVp0hXbT9Tqh2G1Zyq3t0q9Q1uD5rX0s=", "6b5ad3f4-08a9-4c21-9c8e-0d2f3a4b5c6d",
        "6b5ad3f4-08a9-4c21-9c8e-0d2f3a4b5c6d_G7", "7064384151226117473-8152418473512173632-3",
        "NH-20221214202418733-10e10df3cf8145ce838ec74b5610a9f6-06", "2026-11-28T07:12:13.1234567Z",
    ]

    private static func anonymizer() throws -> Anonymizer {
        let key = HubEmulator.AccessPolicy(name: "AppBackendPolicy", rights: [.listen]).key
        let hub = try NotificationHub(
            connectionString:
                "Endpoint=sb://contoso-ns.servicebus.windows.net/;SharedAccessKeyName=AppBackendPolicy;SharedAccessKey=\(key)",
            hubName: "Push-Hub-7", transport: HubEmulator())
        return Anonymizer(
            hub, keyName: "AppBackendPolicy", names: names,
            secrets: [container, "account.blob.core.windows.net"])
    }

    /// A form in which a secret can occur.
    private struct Form: Sendable {
        let name: String
        let form: @Sendable (String) -> String
    }

    private static let forms: [Form] = [
        Form(name: "plain", form: { $0 }), Form(name: "lower case", form: { $0.lowercased() }),
        Form(name: "upper case", form: { $0.uppercased() }),
        Form(name: "percent-encoded", form: { $0.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? "" }),
        Form(
            name: "percent-encoded twice",
            form: { text in
                (0..<2).reduce(text) { text, _ in
                    text.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
                }
            }
        ),
        Form(name: "all bytes percent-encoded", form: { $0.utf8.map { "%" + String($0, radix: 16) }.joined() }),
        Form(name: "hexadecimal", form: { $0.utf8.map { String($0, radix: 16) }.joined() }),
        Form(name: "JSON escapes", form: { $0.utf8.map { "\\u00" + String($0, radix: 16) }.joined() }),
        Form(name: "XML references", form: { $0.utf8.map { "&#\($0);" }.joined() }),
        Form(name: "XML references in hexadecimal", form: { $0.utf8.map { "&#x\(String($0, radix: 16));" }.joined() }),
        Form(name: "Base64 twice", form: { Data(Data($0.utf8).base64EncodedString().utf8).base64EncodedString() }),
        Form(name: "Base64", form: { Data($0.utf8).base64EncodedString() }),
        Form(name: "Base64 after one byte", form: { Data("x\($0)".utf8).base64EncodedString() }),
        Form(name: "Base64 after two bytes", form: { Data("xy\($0)z".utf8).base64EncodedString() }),
        Form(
            name: "Base64, percent-encoded",
            form: {
                Data("x\($0)z".utf8).base64EncodedString().addingPercentEncoding(withAllowedCharacters: .alphanumerics)
                    ?? ""
            }),
    ]

    @Test(arguments: identity) func `removes what identifies the hub from every field, in every form`(_ text: String)
        throws
    {
        try expectRemoval(of: text, in: Self.forms)
    }

    @Test(arguments: opaque) func `removes keys, IDs and times`(_ text: String) throws {
        try expectRemoval(of: text, in: Self.forms.filter { $0.name == "plain" || $0.name == "percent-encoded" })
    }

    private func expectRemoval(of text: String, in forms: [Form]) throws {
        let anonymizer = try Self.anonymizer()
        for form in forms {
            let planted = form.form(text)
            let field = "before \(planted), \"\(planted)\" after"
            let exchange = Exchange(
                request: .init(line: "PUT /\(planted)?a=\(planted)", headers: ["x-a": field], body: field),
                response: .init(line: "200", headers: ["location": field], body: field))
            let recorded = anonymizer.anonymized(exchange, keepsBodies: true).map(VariableText.numbering())
            let fields =
                [
                    recorded.request.line, recorded.request.body, recorded.response.body,
                ] + recorded.request.headers.values + recorded.response.headers.values
            for field in fields {
                #expect(!Self.reveals(field, text, in: forms), "\(form.name): \(field)")
            }
        }
    }

    /// Whether a field contains the secret, also percent-encoded or in Base64.
    private static func reveals(_ field: String, _ text: String, in forms: [Form]) -> Bool {
        let forms = forms.map { $0.form(text) }
        // Base64 of a secret depends on what precedes it, except for its inner characters.
        let inner = forms.map { $0.count > 16 ? String($0.dropFirst(4).dropLast(4)) : $0 }
        return inner.contains { field.lowercased().contains($0.lowercased()) }
    }

    @Test func `keeps the constants of the service`() throws {
        let anonymizer = try Self.anonymizer()
        let body = """
            <entry xmlns="http://www.w3.org/2005/Atom"><content type="application/xml"><FcmV1TemplateRegistrationDescription \
            xmlns="http://schemas.microsoft.com/netservices/2010/10/servicebus/connect"><ExpirationTime>9999-12-31T23:59:59.9999999Z\
            </ExpirationTime><ETag>1</ETag></FcmV1TemplateRegistrationDescription></content></entry>
            """
        let exchange = Exchange(request: .init(line: "GET /x"), response: .init(line: "200", body: body))
        let recorded = anonymizer.anonymized(exchange, keepsBodies: true).map(VariableText.numbering())
        #expect(recorded.response.body == body)
    }

    @Test func `gives equal IDs equal numbers`() {
        let number = VariableText.numbering()
        let (first, second) = ("6b5ad3f4-08a9-4c21-9c8e-0d2f3a4b5c6d", "7c5ad3f4-08a9-4c21-9c8e-0d2f3a4b5c6d")
        #expect(number("\(first) \(second) \(first)") == "{guid-1} {guid-2} {guid-1}")
        #expect(number(second) == "{guid-2}")
    }

    @Test func `omits a list with devices of others`() throws {
        let anonymizer = try Self.anonymizer()
        let own = "<entry>\(Self.names.run)</entry>"
        for (body, isKept) in [("<feed>\(own)</feed>", true), ("<feed>\(own)<entry>a</entry></feed>", false)] {
            let exchange = Exchange(request: .init(line: "GET /x"), response: .init(line: "200", body: body))
            #expect((anonymizer.anonymized(exchange, keepsBodies: true).response.body == Anonymizer.omitted) != isKept)
        }
    }

    @Test func `records only headers that the protocol defines`() throws {
        let exchange = Exchange(
            request: .init(line: "GET /x", headers: ["if-match": "*", "x-proxy-of-contoso": "1"]),
            response: .init(
                line: "200", headers: ["via": "1.1 proxy.contoso.com", "etag": "W/1", "content-length": "7"]))
        let recorded = Anonymizer.recorded(exchange)
        #expect(recorded.request.headers == ["if-match": "*"])
        #expect(recorded.response.headers == ["etag": "W/1"])
    }

    @Test(arguments: ["message", "installations", "windows"])
    func `keeps words of the protocol that are the hub's name`(_ name: String) throws {
        let hub = HubEmulator(hubName: try .init(validating: name)).makeClient()
        let anonymizer = Anonymizer(hub, keyName: nil, names: Self.names)
        let exchange = Exchange(
            request: .init(line: "PUT /\(name)/\(name)s/x"), response: .init(line: "200", body: "my\(name)"))
        let recorded = anonymizer.anonymized(exchange, keepsBodies: true)
        #expect(recorded.request.line == "PUT /{hub}/\(name)s/x")
        #expect(recorded.response.body == "my\(name)")
    }

    @Test func `replaces a short name only as a word`() throws {
        let hub = HubEmulator(hubName: "push").makeClient()
        let anonymizer = Anonymizer(hub, keyName: nil, names: Self.names)
        let exchange = Exchange(
            request: .init(line: "GET /push/installations"),
            response: .init(line: "200", body: "pushChannel, the Push Notification System, push"))
        let recorded = anonymizer.anonymized(exchange, keepsBodies: true)
        #expect(recorded.request.line == "GET /{hub}/installations")
        #expect(recorded.response.body == "pushChannel, the Push Notification System, {hub}")
    }
}

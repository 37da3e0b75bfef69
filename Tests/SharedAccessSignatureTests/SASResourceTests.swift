import SharedAccessSignature
import Testing

@Suite struct SASResourceTests {
    static let key = SharedAccessKey(name: "rule", secret: "secret")
    static let hub = "https://h.net/hub"

    @Test(arguments: [
        ("https://h.net", hub), ("https://h.net/", hub), (hub, hub), (hub + "/", hub), (hub, hub + "/messages"),
        (hub, hub + "/"), ("http://H.NET/HUB", hub), ("sb://h.net/hub?api-version=1", hub), ("h.net/hub", hub),
        (hub, "h.net/hub"), (hub, "amqps://h.net/hub"), ("https://h.net:444/hub", "https://h.net:444/hub"),
        ("https://h.net:443/hub", hub), ("https://h.net:80/hub", "http://h.net/hub"), ("http://h.net:80/hub", hub),
        ("https://h.net:443", "http://h.net/hub"),
        ("https://h.net:5671", "amqps://h.net/hub"), ("https://h.net?x", hub), ("https://h.net/?x/..", hub),
        ("sb://[::1]:5/a b", "http://[::1]:5/a b/c"), ("https://h.net/ö", "https://h.net/ö"),
        ("https://h.net/a%20b", "https://h.net/a%20b"), ("https://h.net/a@b:c", "https://h.net/a@b:c/d"),
        ("https://h.net/hub?ö", hub),
    ])
    func `covers the resource and its descendants`(signed: String, requested: String) {
        #expect(isGranted(signed, requested))
    }

    @Test(arguments: [
        (hub, "https://h.net"), (hub, "https://h.net/hub2"), (hub + "2", hub), (hub, "https://i.net/hub"),
        ("https://h.net:444/hub", hub), ("https://h.net.evil.net", hub), ("https://h.net@i.net/hub", hub),
        ("https://i.net@h.net/hub", hub), ("https://h.net/hub#x", hub), ("https://h.net/./hub", hub),
        ("https://h.net/x/../hub", hub), ("https://h.net//hub", hub), ("https://h.net/hub//", hub),
        ("https://h.net//", hub), ("https://h.net\\hub", hub), ("https://h.net/%68ub", hub), ("https:///hub", hub),
        ("://h.net/hub", hub), ("https:h.net/hub", hub), ("9https://h.net/hub", hub), ("", hub), ("/", hub),
        ("https://h.net:/hub", hub), ("https://h.net:443x/hub", hub), ("https://h.net:000443/hub", hub),
        ("https://h.net:66979/hub", hub), ("https://h.net/hub?x#", hub), ("https://h.net?\u{0}", hub),
        ("https://h.net?\u{85}", hub), (" https://h.net/hub", hub),
        ("https://h.net/k", "https://h.net/\u{212a}"), ("https://h.net/\u{e9}", "https://h.net/e\u{301}"),
        ("https://hö.net/hub", hub), ("https://h.net:80/hub", "https://h.net/hub"), (hub, "https://h.net:444/hub/"),
        ("https://h.net:443/hub", "https://h.net:444/hub"), ("http://h.net:80/hub", "https://h.net:444/hub"),
        (hub, "http://h.net:443/hub"), ("+://h.net/hub", hub), ("http:80/hub", "https://http/hub"),
    ])
    func `does not cover other or ambiguous resources`(signed: String, requested: String) {
        #expect(!isGranted(signed, requested))
    }

    @Test(arguments: [
        "", "https://", "https:///hub", "https://u@h.net/hub", "https://h.net/hub#x", "https://h.net/../hub",
        "https://h.net/./hub", "https://h.net//hub", "https://h.net/hub//", "https://h.net\\hub", "https://h.net/a\nb",
        "https://h.net/\u{85}", "https://hö.net", "https://h.net:0", "https://h.net:65536", "https://h.net:x",
        "https://h.net:+443", "https://h.net:000443", "https://[::1]x5",
        "https://h.net:", "https://.h.net", "https://[::1", "https://[]", "https://[g]", "https://h net/x",
        "https://h.net/a%2fb", "https://h.net/%2e%2E/b", "https://h.net/%5c", "https://h.net/%00", "https://h.net/%7F",
        "https://h.net/%25", "https://h.net/%", "https://h.net/%2", "https://h.net/%zz", "https://\u{212a}.net/hub",
    ])
    func `rejects an ambiguous URL`(url: String) {
        let error = #expect(throws: SASTokenError.self) { try SASResource(url) }
        #expect(error?.code == .invalidResource)
    }

    @Test func `is equal for equivalent URLs`() throws {
        #expect(try SASResource("HTTPS://H.net:443/Hub/?x") == SASResource("h.net/hub"))
        #expect("\(try SASResource("sb://H.net/Hub/"))" == "h.net:443/hub")
    }

    @Test func `combines an endpoint and a hub name`() throws {
        for (endpoint, url) in [
            ("sb://H.net/", "https://h.net/hub"), ("https://h.net:444", "https://h.net:444/hub"),
            ("sb://[::1]:5", "https://[::1]:5/hub"), ("http://localhost", "http://localhost/hub"),
        ] {
            #expect(
                try SASResource(endpoint: ServiceEndpoint(endpoint), hubName: "Hub") == SASResource(url), "\(endpoint)")
        }
        #expect(throws: ConnectionStringError.self) {
            try SASResource(endpoint: ServiceEndpoint("sb://h.net"), hubName: "a/b")
        }
    }

    private func isGranted(_ signed: String, _ requested: String) -> Bool {
        let token = SASSigner(key: Self.key, resource: signed, encoding: .verbatim).token(expiringAt: 2)
        do {
            _ = try SASVerifier(keys: [Self.key]).verify(token, for: SASResource(requested), now: 1)
            return true
        } catch {
            #expect(error.codes == [.outOfScope])
            return false
        }
    }
}

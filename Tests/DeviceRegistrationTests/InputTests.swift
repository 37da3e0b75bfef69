import DeviceRegistration
import Testing

@Suite("What a registrar is made from")
struct InputTests {
    @Test(
        "takes an address",
        arguments: [
            ("https://push.contoso.com", "https://push.contoso.com"),
            ("HTTPS://Contoso.com:8443/a/b/", "https://contoso.com:8443/a/b"),
            ("http://localhost:8080", "http://localhost:8080"), ("http://127.0.0.1:1/x", "http://127.0.0.1:1/x"),
            ("http://[::1]:80", "http://[::1]"),
        ])
    func addresses(text: String, shown: String) throws {
        #expect(try DeviceRegistrar.Address(text).description == shown)
    }

    @Test(
        "refuses what is no address, or would show the credential",
        arguments: [
            "", "contoso.com", "ftp://contoso.com", "https://", "https:///api", "https://a b",
            "https://u:p@contoso.com",
            "https://contoso.com?x=1", "https://contoso.com/a?x=1", "https://contoso.com/#a", "https://contoso.com/ü",
            "http://contoso.com", "http://127.0.0.1.contoso.com", "http://localhost.contoso.com", "http://128.0.0.1",
            "https://contoso.com/a\r\nX: 1", "https://contoso.com:0", "https://contoso.com/a/../b",
            "https://contoso.com/%2E%2e/b",
        ])
    func noAddresses(text: String) {
        let error = #expect(throws: DeviceRegistrationError.self) { try DeviceRegistrar.Address(text) }
        #expect(error?.code == .invalidInput)
    }

    @Test("takes plain HTTP from elsewhere if it is asked to")
    func plain() throws {
        #expect(
            try DeviceRegistrar.Address("http://10.0.0.7:8080", allowingPlainHTTP: true).description
                == "http://10.0.0.7:8080")
    }

    @Test("refuses credentials that cannot be sent", arguments: ["", "a b", "a\r\nX: 1", "é", "a\"b"])
    func bearer(token: String) {
        let error = #expect(throws: DeviceRegistrationError.self) { try DeviceRegistrar.Credential.bearer(token) }
        #expect(error?.code == .invalidInput)
    }

    @Test("refuses names and passwords that cannot be sent", arguments: [("a:b", "c"), ("a\n", "c"), ("a", "\u{0}")])
    func basic(name: String, password: String) {
        let error = #expect(throws: DeviceRegistrationError.self) {
            try DeviceRegistrar.Credential.basic(name: name, password: password)
        }
        #expect(error?.code == .invalidInput)
    }
}

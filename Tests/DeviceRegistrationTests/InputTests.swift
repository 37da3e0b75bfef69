import DeviceRegistration
import Testing

@Suite struct InputTests {
    @Test(arguments: [
        ("https://push.contoso.com", "https://push.contoso.com"),
        ("HTTPS://Contoso.com:8443/a/b/", "https://contoso.com:8443/a/b"),
        ("http://localhost:8080", "http://localhost:8080"), ("http://127.0.0.1:1/x", "http://127.0.0.1:1/x"),
        ("http://[::1]:80", "http://[::1]"),
    ])
    func `accepts an address`(text: String, description: String) throws {
        #expect(try DeviceRegistrar.Address(text).description == description)
    }

    @Test(arguments: [
        "", "contoso.com", "ftp://contoso.com", "https://", "https:///api", "https://a b",
        "https://u:p@contoso.com",
        "https://contoso.com?x=1", "https://contoso.com/a?x=1", "https://contoso.com/#a", "https://contoso.com/ü",
        "http://contoso.com", "http://127.0.0.1.contoso.com", "http://localhost.contoso.com", "http://128.0.0.1",
        "https://contoso.com/a\r\nX: 1", "https://contoso.com:0", "https://contoso.com/a/../b",
        "https://contoso.com/%2E%2e/b",
    ])
    func `rejects an invalid address, or one that would expose the credential`(text: String) {
        let error = #expect(throws: DeviceRegistrationError.self) { try DeviceRegistrar.Address(text) }
        #expect(error?.code == .invalidInput)
    }

    @Test func `accepts plain HTTP for another host if allowed`() throws {
        #expect(
            try DeviceRegistrar.Address("http://10.0.0.7:8080", allowingPlainHTTP: true).description
                == "http://10.0.0.7:8080")
    }

    @Test(arguments: ["", "a b", "a\r\nX: 1", "é", "a\"b"])
    func `rejects a bearer token with invalid characters`(token: String) {
        let error = #expect(throws: DeviceRegistrationError.self) { try DeviceRegistrar.Credential.bearer(token) }
        #expect(error?.code == .invalidInput)
    }

    @Test(arguments: [("a:b", "c"), ("a\n", "c"), ("a", "\u{0}")])
    func `rejects a name or password with invalid characters`(name: String, password: String) {
        let error = #expect(throws: DeviceRegistrationError.self) {
            try DeviceRegistrar.Credential.basic(name: name, password: password)
        }
        #expect(error?.code == .invalidInput)
    }
}

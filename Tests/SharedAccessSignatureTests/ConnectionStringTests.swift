import SharedAccessSignature
import Testing

@Suite struct ConnectionStringTests {
    static let plain = "Endpoint=sb://contoso.servicebus.windows.net/;SharedAccessKeyName=full;SharedAccessKey=c2VjcmV0"

    @Test func `parses the portal's format`() throws {
        let connection = try ConnectionString(Self.plain)
        #expect(connection.endpoint.host == "contoso.servicebus.windows.net")
        #expect(connection.endpoint.description == "https://contoso.servicebus.windows.net")
        #expect(connection.key?.name == "full")
        #expect(connection.entityPath == nil)
    }

    @Test(arguments: [
        "SharedAccessKey=c2VjcmV0;SharedAccessKeyName=full;Endpoint=sb://contoso.servicebus.windows.net/",
        "endpoint=SB://Contoso.ServiceBus.Windows.NET;SHAREDACCESSKEYNAME=full;sharedaccesskey=c2VjcmV0",
        " Endpoint = https://contoso.servicebus.windows.net/ ;; SharedAccessKeyName = full ;\nSharedAccessKey=c2VjcmV0;",
        "Endpoint=sb://contoso.servicebus.windows.net/;SharedAccessKeyName=full;SharedAccessKey=c2VjcmV0;EntityPath=push",
    ])
    func `ignores order, case, whitespace and empty parts`(text: String) throws {
        let connection = try ConnectionString(text)
        #expect(connection.endpoint == (try ConnectionString(Self.plain).endpoint))
        #expect(try token(connection) == token(ConnectionString(Self.plain)))
    }

    @Test func `keeps equals signs in the key`() throws {
        let with = try ConnectionString(Self.plain + "==")
        let without = try ConnectionString(Self.plain)
        #expect(try token(with) != token(without))
        #expect(
            try token(with)
                == SASSigner(key: SharedAccessKey(name: "full", secret: "c2VjcmV0=="), resource: "r").headerValue)
    }

    @Test func `keeps a combining mark at the start of a key`() throws {
        let text = "Endpoint=sb://h/;SharedAccessKeyName=full;SharedAccessKey=\u{301}x"
        let signer = SASSigner(key: SharedAccessKey(name: "full", secret: "\u{301}x"), resource: "r")
        #expect(try token(ConnectionString(text)) == signer.headerValue)
    }

    @Test func `parses the hub name and the emulator option`() throws {
        let text = "Endpoint=sb://127.0.0.1:8080/;SharedAccessKeyName=n;SharedAccessKey=k;EntityPath=push"
        let connection = try ConnectionString(text + ";UseDevelopmentEmulator=TRUE")
        #expect(connection.entityPath == "push")
        #expect(connection.endpoint.description == "http://127.0.0.1:8080")
        for text in [text, text + ";UseDevelopmentEmulator=False"] {
            #expect(try ConnectionString(text).endpoint.description == "https://127.0.0.1:8080")
        }
    }

    /// A well-formed token with an arbitrary signature.
    static let token = "SharedAccessSignature sr=r&sig=8UM0iIfFCfeBSqxSdBMW8pUbhAm7mnjSUaIZTZx8V0g%3D&se=5&skn=n"

    @Test func `parses a token instead of a key`() throws {
        let connection = try ConnectionString("SharedAccessSignature=\(Self.token);Endpoint=sb://h/;EntityPath=push")
        if case .token(let token) = connection.credential {
            #expect(token.headerValue == Self.token)
        } else {
            Issue.record("expected a token")
        }
        #expect(connection.entityPath == "push")
        #expect(connection.key == nil)
        let error = #expect(throws: ConnectionStringError.self) {
            try SASSigner(connection: connection, hubName: "push")
        }
        #expect(error?.code == .missingKey)
    }

    @Test(arguments: [
        (
            "AccountName=a;AccountKey=sesame",
            "field AccountName at byte 0 shows the connection string of a storage account: copy that of a hub's access policy"
        ),
        (
            "Endpoint=https://h/;accesskey=sesame",
            "field AccessKey at byte 20 shows the connection string of SignalR, Web PubSub"
        ),
        ("HostName=h;SharedAccessKeyName=n;SharedAccessKey=sesame", "of IoT Hub"),
        ("DefaultEndpointsProtocol=https;AccountKey=sesame", "of a storage account"),
    ])
    func `names the service of another kind of connection string`(text: String, message: String) {
        let error = #expect(throws: ConnectionStringError.self) { try ConnectionString(text) }
        #expect(error?.code == .unknownField)
        #expect(error?.description.contains(message) == true, "\(error?.description ?? "")")
        #expect(error?.description.contains("sesame") == false)
    }

    @Test func `accepts all visible characters except a semicolon in a key's name`() throws {
        let characters: ClosedRange<UInt8> = 0x21...0x7e
        let name = String(decoding: characters.filter { $0 != UInt8(ascii: ";") }, as: UTF8.self)
        let text = "Endpoint=sb://h/;SharedAccessKeyName=\(name);SharedAccessKey=sesame"
        #expect(try ConnectionString(text).key?.name == name)
    }

    @Test func `ignores the fields of Service Bus`() throws {
        let connection = try ConnectionString(
            "Endpoint=sb://h/;SharedAccessKeyName=n;SharedAccessKey=sesame;transporttype=Amqp;OperationTimeout=1;RuntimePort=1;"
                + "ManagementPort=1;StsEndpoint=https://x")
        #expect(
            connection.ignoredFields
                == ["TransportType", "OperationTimeout", "RuntimePort", "ManagementPort", "StsEndpoint"])
        #expect(connection.description == "Endpoint=sb://h/;SharedAccessKeyName=n;SharedAccessKey=(redacted)")
    }

    @Test func `recognizes an unpadded key by its digits and letters of both cases`() {
        for lowercase in ["a", "z"] {
            let name = String(repeating: "A0", count: 21) + lowercase
            #expect(SharedAccessKey.isProbablyKey(name))
            #expect(!SharedAccessKey.isProbablyKey(name.uppercased()))
            #expect(!SharedAccessKey.isProbablyKey(name.lowercased()))
            #expect(!SharedAccessKey.isProbablyKey(name.replacing("0", with: "B")))
        }
    }

    @Test(arguments: [
        "DefaultFullSharedAccessSignature", "MyCompanyProductionNotificationHubSendRules",
        String(repeating: "a", count: 43),
        "",
    ])
    func `accepts the name of a policy that is not a key`(name: String) {
        #expect(!SharedAccessKey.isProbablyKey(name))
    }

    struct Invalid: Sendable, CustomStringConvertible {
        let text: String
        let field: ConnectionString.Field?
        let offset: Int
        let message: String
        var description: String { text }

        init(_ text: String, _ field: ConnectionString.Field?, _ offset: Int, _ message: String) {
            (self.text, self.field, self.offset, self.message) = (text, field, offset, message)
        }
    }

    @Test(arguments: [
        Invalid("", .endpoint, 0, "is empty"),
        Invalid("SharedAccessKeyName=n;SharedAccessKey=sesame", .endpoint, 44, "has no Endpoint"),
        Invalid("Endpoint=sb://h/;SharedAccessKeyName=n", .sharedAccessKey, 38, "has no SharedAccessKey:"),
        Invalid("Endpoint=sb://h/;SharedAccessKey=sesame", .sharedAccessKeyName, 39, "has no SharedAccessKeyName:"),
        Invalid("Endpoint=sb://h/;Endpoint=sb://h/", .endpoint, 17, "duplicate Endpoint at byte 17"),
        Invalid("Endpoint=sb://h/; Sesame=sesame", nil, 18, "unknown field at byte 18"),
        Invalid(
            "Endpoint=sb://h/;SharedAccessKeyName=8UM0iIfFCfeBSqxSdBMW8pUbhAm7mnjSUaIZTZx8V0g=;SharedAccessKey=sesame",
            .sharedAccessKeyName, 17, "it looks like a key: swap the policy's name and the key"),
        Invalid(
            "Endpoint=sb://h/;SharedAccessKey=sesame;SharedAccessKeyName=8UM0iIfFCfeBSqxSdBMW8pUbhAm7mnjSUaIZTZx8V0g",
            .sharedAccessKeyName, 40, "it looks like a key"),
        Invalid(
            "Endpoint=sb://h/;sesame", nil, 17, "invalid field at byte 17 of the connection string: expected NAME=VALUE"
        ),
        Invalid(
            "Endpoint=sb://h/;SharedAccessKey=", .sharedAccessKey, 17,
            "invalid SharedAccessKey at byte 17 of the connection string: it must not be empty"),
        Invalid("SharedAccessKeyName=n;\u{fe0f}SharedAccessKey=sesame", nil, 22, "unknown field at byte 22"),
        Invalid("Endpoint=sb://h/;SharedAccessKeyName=a\u{0}b", .sharedAccessKeyName, 17, "a control character"),
        Invalid("Endpoint=sb://h/;SharedAccessKeyName=a\u{7f}b", .sharedAccessKeyName, 17, "a control character"),
        Invalid("Endpoint=sb://\u{212a}h/;SharedAccessKeyName=n;SharedAccessKey=sesame", .endpoint, 0, "ASCII"),
        Invalid(
            "Endpoint=ftp://h/;SharedAccessKeyName=n;SharedAccessKey=sesame", .endpoint, 0, "must start with sb://"),
        Invalid("Endpoint=http://h/;SharedAccessKeyName=n;SharedAccessKey=sesame", .endpoint, 0, "plain HTTP"),
        Invalid("Endpoint=sb://;SharedAccessKeyName=n;SharedAccessKey=sesame", .endpoint, 0, "a host"),
        Invalid("Endpoint=sb://u@h/;SharedAccessKeyName=n;SharedAccessKey=sesame", .endpoint, 0, "a host"),
        Invalid("Endpoint=sb://h/path;SharedAccessKeyName=n;SharedAccessKey=sesame", .endpoint, 0, "a host"),
        Invalid("Endpoint=sb://h:0/;SharedAccessKeyName=n;SharedAccessKey=sesame", .endpoint, 0, "a port"),
        Invalid("Endpoint=sb://h:65536/;SharedAccessKeyName=n;SharedAccessKey=sesame", .endpoint, 0, "a port"),
        Invalid("Endpoint=sb://h/;SharedAccessSignature=sesame", .sharedAccessSignature, 17, "does not start"),
        Invalid(
            "SharedAccessSignature=SharedAccessSignature sr=r&sig=8UM0iIfFCfeBSqxSdBMW8pUbhAm7mnjSUaIZTZx8V0g%3D&se=5"
                + "&skn=n;Endpoint=sb://h/;SharedAccessKey=sesame", .sharedAccessKey, 128,
            "combined with SharedAccessSignature"),
        Invalid(
            "Endpoint=sb://h/;SharedAccessKeyName=n;SharedAccessKey=sesame;UseDevelopmentEmulator=sesame",
            .useDevelopmentEmulator, 62, "true or false"),
    ])
    func `reports the problem and its offset without the value`(invalid: Invalid) {
        let error = #expect(throws: ConnectionStringError.self) { try ConnectionString(invalid.text) }
        #expect(error?.field == invalid.field?.rawValue)
        #expect(error?.offset == invalid.offset)
        #expect(error?.description.contains(invalid.message) == true)
        #expect(error?.description.contains("sesame") == false)
    }

    @Test func `prints all fields except the secret`() throws {
        let key = "Endpoint=sb://127.0.0.1:8080/;SharedAccessKeyName=n;SharedAccessKey="
        let options = ";EntityPath=push;UseDevelopmentEmulator=true"
        #expect(try ConnectionString(key + "k" + options).description == key + "(redacted)" + options)
        let signed = try ConnectionString("Endpoint=sb://h/;SharedAccessSignature=\(Self.token)")
        #expect(signed.description == "Endpoint=sb://h/;SharedAccessSignature=(redacted)")
    }

    @Test func `has stable codes`() {
        let codes: [ConnectionStringError.Code] = [
            .missingField, .duplicateField, .unknownField, .missingEqualsSign, .emptyField, .invalidField,
            .conflictingFields, .invalidEndpoint, .invalidToken, .invalidKey, .missingKey, .invalidHubName,
        ]
        let names = [
            "missingField", "duplicateField", "unknownField", "missingEqualsSign", "emptyField", "invalidField",
            "conflictingFields", "invalidEndpoint", "invalidToken", "invalidKey", "missingKey", "invalidHubName",
        ]
        #expect(codes.map(\.rawValue) == names)
        #expect(codes.map(\.description) == names)
    }

    private func token(_ connection: ConnectionString) throws -> String {
        SASSigner(key: try #require(connection.key), resource: "r").headerValue
    }
}

extension SASSigner {
    /// A token with a fixed expiry, for comparing keys.
    fileprivate var headerValue: String { token(expiringAt: 1).headerValue }
}

@Suite struct ServiceEndpointTests {
    @Test(arguments: [
        ("sb://contoso.servicebus.chinacloudapi.cn/", "https://contoso.servicebus.chinacloudapi.cn"),
        ("https://Host:8443", "https://host:8443"),
        ("sb://[::1]:5000/", "https://[::1]:5000"),
        ("sb://10.0.0.1", "https://10.0.0.1"), ("https://host:443/", "https://host"),
        ("sb://host:80", "https://host:80"), ("http://127.0.0.1:8350/", "http://127.0.0.1:8350"),
        ("http://localhost:80", "http://localhost"), ("http://[::1]:8350", "http://[::1]:8350"),
        ("sb://localhost", "https://localhost"), ("sb://my-hub.example.com/", "https://my-hub.example.com"),
    ])
    func `preserves hosts and non-default ports`(text: String, url: String) throws {
        #expect(try ServiceEndpoint(text).description == url)
    }

    @Test(arguments: [
        "http://contoso.servicebus.windows.net", "http://127.0.0.1.evil.com/", "http://127.0.0/",
        "http://localhost.evil.com",
        "http://10.0.0.1/", "http://[::2]/",
    ])
    func `rejects plain HTTP except for loopback hosts and emulators`(text: String) throws {
        let error = #expect(throws: ConnectionStringError.self) { try ServiceEndpoint(text) }
        #expect(error?.description.contains("plain HTTP") == true)
        #expect(try ServiceEndpoint(text, isDevelopmentEmulator: true).scheme == "http")
    }

    @Test(arguments: ["sb://h:+80/", "sb://h:/", "sb://[]/", "sb://[g]/", "sb://[::1/", "sb://h~/", "sb://h /"])
    func `rejects an invalid host or port`(text: String) {
        let error = #expect(throws: ConnectionStringError.self) { try ServiceEndpoint(text) }
        #expect(error?.code == .invalidEndpoint)
        #expect(error?.description.contains("without whitespace") == text.contains(" "))
    }

    @Test func `omits default ports`() throws {
        #expect(try ServiceEndpoint("sb://h:80", isDevelopmentEmulator: true).description == "http://h")
        #expect(try ServiceEndpoint("sb://h:443", isDevelopmentEmulator: true).description == "http://h:443")
        #expect(throws: ConnectionStringError.self) { try ServiceEndpoint("sb://.h/") }
    }

    @Test func `derives the host from a namespace`() throws {
        #expect(try ServiceEndpoint(namespace: "Contoso-1").host == "contoso-1.servicebus.windows.net")
        for namespace in ["", "-a", "evil.com/", "a b", "a.b", "ä"] {
            #expect(throws: ConnectionStringError.self) { try ServiceEndpoint(namespace: namespace) }
        }
    }
}

import HubTestSupport
import SharedAccessSignature
import Testing

/// A token of IoT Hub that was signed independently of this library.
struct KnownIoTHubToken: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let connectionString: String
    let resource: String
    let expiry: Int64
    let token: String

    static let all = Result {
        try Vectors.cases("sas/iot-hub.vectors", fields: ["connectionString", "resource", "expiry", "token"])
            .map(KnownIoTHubToken.init)
    }

    private init(_ vector: Vectors.Case) throws {
        testDescription = vector.description
        connectionString = try vector.text("connectionString")
        resource = try vector.text("resource")
        expiry = try #require(Int64(try vector.text("expiry")))
        token = try vector.text("token")
    }
}

@Suite struct IoTHubConnectionStringTests {
    static let key = "MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY="
    static let device = "HostName=contoso.azure-devices.net;DeviceId=Pump-1;SharedAccessKey=\(key)"

    @Test(arguments: try KnownIoTHubToken.all.get())
    func `signs the known token with the connection string's key`(known: KnownIoTHubToken) throws {
        let connection = try IoTHubConnectionString(known.connectionString)
        #expect(connection.resource == known.resource)
        let token: String
        switch connection.credential {
        case .device(let key):
            token = SASDeviceSigner(key: key, resource: connection.resource).token(expiringAt: known.expiry).headerValue
            let signer = try SASDeviceSigner(connectionString: known.connectionString)
            #expect(signer.token(expiringAt: known.expiry).headerValue == token)
        case .policy(let key):
            let signer = SASSigner(key: key, resource: connection.resource, encoding: .verbatim)
            token = signer.token(expiringAt: known.expiry).headerValue
        }
        #expect(token == known.token)
    }

    @Test func `parses the fields in any order and case`() throws {
        let connection = try IoTHubConnectionString(
            " sharedaccesskey = \(Self.key); MODULEID=filter ;DeviceId=Pump-1;;GatewayHostName=edge;hostname=Contoso.net"
        )
        #expect(connection.hostName == "Contoso.net")
        #expect(connection.deviceID == "Pump-1")
        #expect(connection.moduleID == "filter")
        #expect(connection.gatewayHostName == "edge")
        #expect(connection.resource == "Contoso.net/devices/Pump-1/modules/filter")
    }

    @Test(
        arguments: [
            ("", .missingField, "HostName", "has no HostName"),
            ("HostName=h", .missingField, "SharedAccessKey", "has no SharedAccessKey"),
            ("HostName=h;SharedAccessKey=\(key)", .missingField, "SharedAccessKeyName", "has no SharedAccessKeyName"),
            ("HostName=h;ModuleId=m;SharedAccessKey=\(key)", .missingField, "DeviceId", "has no DeviceId"),
            ("HostName=https://h;SharedAccessKey=\(key)", .invalidEndpoint, "HostName", "a host name such as"),
            ("HostName=h:8883;SharedAccessKey=\(key)", .invalidEndpoint, "HostName", "a host name such as"),
            ("HostName=h/;SharedAccessKey=\(key)", .invalidEndpoint, "HostName", "a host name such as"),
            (
                "\(device);GatewayHostName=a b", .invalidEndpoint, "GatewayHostName",
                "invalid GatewayHostName at byte 112"
            ),
            (
                "HostName=h;DeviceId=a/b;SharedAccessKey=\(key)", .invalidField, "DeviceId",
                "invalid DeviceId at byte 11"
            ),
            ("HostName=h;DeviceId=a b;SharedAccessKey=\(key)", .invalidField, "DeviceId", "letters, digits"),
            ("HostName=h;DeviceId=\(String(repeating: "x", count: 129))", .invalidField, "DeviceId", "at most 128"),
            ("HostName=h;DeviceId=d;SharedAccessKey=sesame", .invalidKey, "SharedAccessKey", "not Base64 text"),
            ("HostName=h;DeviceId=d;DeviceId=d", .duplicateField, "DeviceId", "duplicate DeviceId at byte 22"),
            ("\(device);x509=true", .unknownField, nil, "allowed: HostName, DeviceId, ModuleId"),
            ("Endpoint=sb://h/;\(device)", .unknownField, nil, "unknown field at byte 0"),
        ] as [(String, ConnectionStringError.Code, String?, String)])
    func `reports the problem without the key`(
        text: String, code: ConnectionStringError.Code, field: String?, message: String
    ) {
        let error = #expect(throws: ConnectionStringError.self) { try IoTHubConnectionString(text) }
        #expect(error?.code == code)
        #expect(error?.field == field)
        #expect(error?.description.contains(message) == true, "\(error as Any)")
        #expect(error?.description.contains("sesame") == false && error?.description.contains(Self.key) == false)
    }

    @Test func `does not sign with a policy's key as a device`() {
        let error = #expect(throws: ConnectionStringError.self) {
            try SASDeviceSigner(connectionString: Self.device + ";SharedAccessKeyName=device")
        }
        #expect(error?.code == .conflictingFields)
    }

    @Test func `is not a connection string of Notification Hubs`() {
        let error = #expect(throws: ConnectionStringError.self) { try ConnectionString(Self.device) }
        #expect(error?.code == .unknownField)
    }

    @Test func `prints all fields except the key`() throws {
        let fields = "HostName=h;DeviceId=d;ModuleId=m;GatewayHostName=g;SharedAccessKeyName=device;SharedAccessKey="
        #expect(try IoTHubConnectionString(fields + Self.key).description == fields + "(redacted)")
    }
}

@Suite struct SASDeviceTokenTests {
    static let signature = "8UM0iIfFCfeBSqxSdBMW8pUbhAm7mnjSUaIZTZx8V0g%3D"
    static let text = "SharedAccessSignature sr=h%2Fdevices%2Fd&sig=\(signature)&se=5"

    @Test(arguments: [
        text, text + "&skn=", "sharedaccesssignature  SKN=&se=5&sr=h%2Fdevices%2Fd&sig=\(signature)",
        "SharedAccessSignature sig=\(signature)&se=5&skn=&sr=h%2Fdevices%2Fd",
    ])
    func `parses a token without a key name`(text: String) throws {
        let token = try SASDeviceToken(text)
        #expect(token.headerValue == text)
        #expect(token.unverifiedClaims.resource == "h/devices/d")
        #expect(token.unverifiedClaims.expiry == 5)
        #expect(throws: SASTokenError.self) { try SASToken(text) }
    }

    @Test(
        arguments: [
            (text + "&skn=rule", .unexpectedKeyName, "skn", 101, "unexpected skn at byte 101"),
            (text + "&skn=&skn=", .duplicateField, "skn", 102, "duplicate skn"),
            (text + "&skn=&skn=rule", .unexpectedKeyName, "skn", 106, "names no policy"),
            (text + "&skn", .invalidField, "skn", 100, "invalid skn"),
            (text + "&skn=%2", .invalidField, "skn", 101, "invalid skn"),
            (text + "&se=", .duplicateField, "se", 97, "duplicate se"),
            (text + "&x=1", .unknownField, nil, 97, "unknown field"),
            ("SharedAccessSignature sr=&sig=\(signature)&se=5", .invalidField, "sr", 25, "invalid sr"),
            ("SharedAccessSignature sr=a&se=5&skn=", .missingField, "sig", 36, "no sig"),
            ("x", .invalidScheme, nil, 0, "does not start"),
        ] as [(String, SASTokenError.Code, String?, Int, String)])
    func `reports the problem and its offset`(
        text: String, code: SASTokenError.Code, field: String?, offset: Int, message: String
    ) {
        let error = #expect(throws: SASTokenError.self) { try SASDeviceToken(text) }
        #expect(error?.code == code)
        #expect(error?.field == field)
        #expect(error?.offset == offset)
        #expect(error?.description.contains(message) == true)
    }

    @Test func `prints its claims without the signature`() throws {
        let token = try SASDeviceToken(Self.text)
        #expect("\(token)" == "SharedAccessSignature sr=h%2Fdevices%2Fd&sig=(redacted)&se=5")
        #expect("\(token.unverifiedClaims)" == "SASDeviceToken.Claims(resource: \"h/devices/d\", expiry: 5)")
        #expect(!everythingPrinted(of: token).contains(Self.signature.prefix(20)))
    }
}

@Suite struct SASDeviceVerifierTests {
    static let primary = Result { try SASDeviceKey(base64Secret: "cHJpbWFyeQ==") }
    static let secondary = Result { try SASDeviceKey(base64Secret: "c2Vjb25kYXJ5") }
    static let hub = "contoso.azure-devices.net"
    let primary: SASDeviceKey
    let secondary: SASDeviceKey
    let verifier: SASDeviceVerifier
    let device: SASResource

    init() throws {
        primary = try Self.primary.get()
        secondary = try Self.secondary.get()
        verifier = SASDeviceVerifier(keys: [primary, secondary])
        device = try SASResource(Self.hub + "/devices/Pump-1")
    }

    private func token(_ key: SASDeviceKey, _ path: String = "/devices/Pump-1") -> SASDeviceToken {
        SASDeviceSigner(key: key, resource: Self.hub + path).token(expiringAt: 100)
    }

    private func codes(
        _ verifier: SASDeviceVerifier, _ token: SASDeviceToken, now: Int64 = 99
    ) throws -> [SASTokenError.Code] {
        let results = verifier.verify(batch: [token, token], for: device, now: now)
        let codes: [SASTokenError.Code]
        do {
            _ = try verifier.verify(token, for: device, now: now)
            codes = []
        } catch {
            codes = error.codes
        }
        for result in results {
            if case .failure(let error) = result { #expect(error.codes == codes) } else { #expect(codes.isEmpty) }
        }
        return codes
    }

    @Test func `accepts the primary and the secondary key`() throws {
        for key in [primary, secondary] {
            #expect(try codes(verifier, token(key)).isEmpty)
            let claims = try verifier.verify(SASDeviceToken(token(key).headerValue + "&skn="), for: device, now: 99)
            #expect(claims.resource == Self.hub + "/devices/Pump-1")
            #expect(claims.expiry == 100)
        }
    }

    @Test func `accepts resources below the device's`() throws {
        let events = try SASResource("https://\(Self.hub)/devices/Pump-1/messages/events?api-version=2020-03-13")
        _ = try verifier.verify(token(primary), for: events, now: 99)
    }

    @Test func `rejects other keys, devices and times`() throws {
        let other = try SASDeviceKey(base64Secret: "b3RoZXI=")
        #expect(try codes(verifier, token(other)) == [.invalidSignature])
        #expect(try codes(verifier, token(primary, "/devices/Pump-10")) == [.outOfScope])
        #expect(try codes(verifier, token(primary), now: 100) == [.expired])
        let strict = SASDeviceVerifier(keys: [primary], leeway: .seconds(5), maximumLifetime: .seconds(10))
        #expect(try codes(strict, token(primary), now: 104).isEmpty)
        #expect(try codes(strict, token(primary), now: 89) == [.lifetimeTooLong])
        #expect(try codes(SASDeviceVerifier(keys: []), token(primary)) == [.unknownKey])
    }

    @Test func `rejects a changed letter case of the device's ID`() throws {
        let text = token(primary).headerValue.replacing("Pump-1", with: "pump-1")
        #expect(try codes(verifier, SASDeviceToken(text)) == [.invalidSignature])
    }

    @Test func `has a fingerprint that depends only on the secret`() throws {
        #expect(primary.fingerprint == SharedAccessKey(name: "rule", secret: "primary").fingerprint)
        #expect(primary.fingerprint != secondary.fingerprint)
        #expect(throws: ConnectionStringError.self) { try SASDeviceKey(base64Secret: "AAAA") }
    }

    @Test func `does not print keys`() throws {
        let values: [Any] = [
            primary, verifier, SASDeviceSigner(key: primary, resource: "r"),
            try IoTHubConnectionString(IoTHubConnectionStringTests.device),
        ]
        for value in values {
            let printed = everythingPrinted(of: value)
            for secret in ["primary", "cHJpbWFyeQ", IoTHubConnectionStringTests.key, "SIMD"] {
                #expect(!printed.contains(secret), "\(type(of: value)) prints a secret")
            }
        }
    }
}

@Suite struct PolicyTokenWithoutNameTests {
    @Test func `rejects a token without a key name if only policies have keys`() throws {
        let key = SharedAccessKey(name: "", secret: "primary")
        let device = SASDeviceSigner(key: try SASDeviceVerifierTests.primary.get(), resource: "h").token(expiringAt: 9)
        let verifier = SASVerifier(keys: [key, SharedAccessKey(name: "rule", secret: "primary")])
        for text in [device.headerValue, device.headerValue + "&skn="] {
            let error = #expect(throws: SASTokenError.self) {
                try verifier.verify(authorization: text, for: SASResource("h"), now: 1)
            }
            #expect(error?.field == "skn")
        }
    }
}

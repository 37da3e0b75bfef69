import HubTestSupport
import NotificationHubs
import Testing

/// The properties of a hub's description and its XML.
@Suite struct HubDescriptionTests {
    /// Elements in the order of the service, with unknown ones between known ones.
    private static let elements = """
        <ApnsCredential><BlockedOn>2020-01-01T00:00:00Z</BlockedOn><Properties><Property><Name>Token</Name>\
        <Value>sesame</Value></Property><Property><Name>AppId</Name><Value>id</Value></Property></Properties>\
        </ApnsCredential><New1 kind="x"><a/></New1><RegistrationTtl>P10675199DT2H48M5.4775807S</RegistrationTtl>\
        <AuthorizationRules>\
        <AuthorizationRule i:type="AllowRule"><ClaimType>nameidentifier</ClaimType></AuthorizationRule>\
        <AuthorizationRule i:type="SharedAccessAuthorizationRule"><ClaimType>SharedAccessKey</ClaimType>\
        <ClaimValue>None</ClaimValue><Rights><AccessRights>Send</AccessRights><AccessRights>Listen</AccessRights></Rights>\
        <CreatedTime>2020-01-01T00:00:00Z</CreatedTime><KeyName>both</KeyName><PrimaryKey>sesame1</PrimaryKey>\
        <SecondaryKey>sesame2</SecondaryKey></AuthorizationRule></AuthorizationRules>\
        <DailyOperations>1</DailyOperations><DailyMaxActiveDevices>2</DailyMaxActiveDevices>\
        <DailyMaxActiveRegistrations>3</DailyMaxActiveRegistrations><DailyPushes>4</DailyPushes>\
        <DailyApiCalls>5</DailyApiCalls><Status>true</Status><New2>sesame3</New2>
        """

    /// Returns the description that the service's elements contain.
    private func read(_ elements: String) async throws -> NotificationHub.Description {
        let body = Array(NamespaceRequestTests.entry("push", elements).utf8)
        let transport = ScriptedTransport { _ in HubResponse(status: 200, body: body) }
        return try await NamespaceRequestTests.namespace(transport).hub("push")
    }

    /// Returns the elements that an update sends.
    private func written(_ hub: NotificationHub.Description) async throws -> String {
        let body = Array(NamespaceRequestTests.entry("push").utf8)
        let transport = ScriptedTransport { _ in HubResponse(status: 200, body: body) }
        _ = try await NamespaceRequestTests.namespace(transport).updateHub(hub)
        let text = try #require(transport.requests.first).bodyText
        let start = try #require(text.firstRange(of: "<NotificationHubDescription")).lowerBound
        let content = text[start...].drop { $0 != ">" }.dropFirst()
        return String(
            content[..<(content.firstRange(of: "</NotificationHubDescription>")?.lowerBound ?? content.startIndex)])
    }

    /// Returns the names of the elements that an update sends.
    private func writtenNames(_ hub: NotificationHub.Description) async throws -> [String] {
        let root = try Atom.read(Array("<a xmlns:i=\"i\">\(try await written(hub))</a>".utf8))
        return root.children.map(\.name)
    }

    @Test func `reads all properties`() async throws {
        let hub = try await read(Self.elements)
        #expect(hub.name == "push" && hub.registrationTimeToLive == nil && hub.userMetadata == nil)
        #expect(hub.credentials == [.apple: ["Token": "sesame", "AppId": "id"]])
        let policy = try #require(hub.accessPolicies.first)
        #expect(hub.accessPolicies.count == 1 && policy.name == "both" && policy.rights == [.listen, .send])
        #expect(policy.primaryKey == "sesame1" && policy.secondaryKey == "sesame2")
        #expect(hub.dailyOperationCount == 1 && hub.dailyActiveDeviceCount == 2)
        #expect(hub.dailyActiveRegistrationCount == 3 && hub.dailyPushCount == 4 && hub.dailyAPICallCount == 5)
    }

    @Test func `creates credentials with the service's properties`() throws {
        typealias Credential = NotificationHub.PlatformCredential
        let pem = "-----BEGIN PRIVATE KEY-----\r\nAB==\r\nCD\r\n-----END PRIVATE KEY-----\r\n"
        #expect(
            Credential.appleToken(key: pem, keyID: "k", teamID: "t", bundleID: "b", server: .sandbox) == [
                "Endpoint": "https://api.development.push.apple.com:443/3/device", "KeyId": "k", "AppId": "t",
                "AppName": "b", "Token": "AB==CD",
            ])
        let line = "-----BEGIN PRIVATE KEY-----ABCD-----END PRIVATE KEY-----"
        #expect(Credential.appleToken(key: line, keyID: "", teamID: "", bundleID: "").properties["Token"] == "ABCD")
        #expect(
            Credential.appleCertificate([1, 2, 3], password: "p") == [
                "Endpoint": "gateway.push.apple.com", "ApnsCertificate": "AQID", "CertificateKey": "p",
            ])
        let account = #"{"project_id":"p","client_email":"e","private_key":"k\n","other":1}"#
        #expect(
            try Credential.firebase(serviceAccount: account.utf8)
                == ["ProjectId": "p", "ClientEmail": "e", "PrivateKey": "k\n"])
        #expect(
            Credential.browser(subject: "s", publicKey: "p", privateKey: "k")
                == ["Subject": "s", "VapidPublicKey": "p", "VapidPrivateKey": "k"])
        #expect(Credential.baidu(apiKey: "a", secretKey: "s") == ["BaiduApiKey": "a", "BaiduSecretKey": "s"])
        #expect(Credential.windows(packageSID: "p", secretKey: "s") == ["PackageSid": "p", "SecretKey": "s"])
    }

    @Test(
        arguments: [
            (nil, "https://api.xmpush.xiaomi.com"), (.mainlandChina, "https://api.xmpush.xiaomi.com"),
            (.global, "https://api.xmpush.global.xiaomi.com"), (.sandbox, "https://sandbox.xmpush.xiaomi.com"),
        ] as [(NotificationHub.PlatformCredential.XiaomiServer?, String)])
    func `creates a Xiaomi credential with its endpoint`(
        server: NotificationHub.PlatformCredential.XiaomiServer?, endpoint: String
    ) async throws {
        let credential: NotificationHub.PlatformCredential =
            if let server { .xiaomi(appSecret: "sesame", server: server) } else { .xiaomi(appSecret: "sesame") }
        #expect(credential == ["AppSecret": "sesame", "Endpoint": endpoint])
        #expect(!everythingPrinted(of: credential).contains("sesame"))
        var hub = NotificationHub.Description(name: "push")
        hub.credentials[.xiaomi] = credential
        #expect(
            try await written(hub) == """
                <XiaomiCredential><Properties><Property><Name>AppSecret</Name><Value>sesame</Value></Property>\
                <Property><Name>Endpoint</Name><Value>\(endpoint)</Value></Property></Properties></XiaomiCredential>
                """)
        #expect(hub.credentials[.xiaomi] == credential)
    }

    @Test(arguments: ["sesame", "{\"private_key\":\"sesame\"}", "{\"project_id\":\"sesame\",\"client_email\":1}"])
    func `rejects an invalid service account without quoting it`(text: String) {
        let error = #expect(throws: HubValidationError.self) {
            try NotificationHub.PlatformCredential.firebase(serviceAccount: text.utf8)
        }
        #expect(error.map { !"\($0)".contains("sesame") } == true)
    }

    @Test func `reads a description without elements`() async throws {
        let hub = try await read("")
        #expect(hub.accessPolicies.isEmpty && hub.credentials.isEmpty && hub.dailyOperationCount == nil)
    }

    @Test func `treats a nil element as missing`() async throws {
        var hub = try await read("<ApnsCredential i:nil=\"true\"/><UserMetadata i:nil=\"true\"/>")
        #expect(hub.credentials.isEmpty && hub.userMetadata == nil)
        hub.credentials[.apple] = [:]
        #expect(try await written(hub) == "<ApnsCredential><Properties/></ApnsCredential>")
    }

    @Test func `sends an unchanged description back unchanged`() async throws {
        #expect(try await written(try await read(Self.elements)) == Self.elements)
    }

    @Test func `keeps what it does not model when a description changes`() async throws {
        var hub = try await read(Self.elements)
        hub.userMetadata = "mine"
        hub.registrationTimeToLive = .seconds(90 * 86_400)
        hub.accessPolicies[0].rights.insert(.manage)
        hub.accessPolicies[0].secondaryKey = "sesame4"
        hub.credentials[.apple]?.properties["Token"] = nil
        let expected = Self.elements
            .replacing("<Property><Name>Token</Name><Value>sesame</Value></Property>", with: "")
            .replacing("P10675199DT2H48M5.4775807S", with: "P90DT0S")
            .replacing(
                "<AccessRights>Send</AccessRights><AccessRights>Listen</AccessRights>",
                with: ["Listen", "Manage", "Send"].map { "<AccessRights>\($0)</AccessRights>" }.joined()
            )
            .replacing("sesame2", with: "sesame4")
            .replacing("<DailyPushes>", with: "<UserMetadata>mine</UserMetadata><DailyPushes>")
        #expect(try await written(hub) == expected)
    }

    @Test func `removes a credential and the last policy`() async throws {
        var hub = try await read(Self.elements)
        hub.credentials[.apple] = nil
        hub.accessPolicies = []
        let text = try await written(hub)
        #expect(!text.contains("ApnsCredential") && !text.contains("KeyName") && text.contains("AllowRule"))
    }

    @Test func `writes elements in the service's order`() async throws {
        var hub = NotificationHub.Description(name: "push")
        for platform in [PushPlatform.xiaomi, .browser, .fcmV1, .baidu, .adm, .windowsPhone, .gcm, .windows, .apple] {
            hub.credentials[platform] = [:]
        }
        hub.userMetadata = "mine"
        hub.accessPolicies = [.init(name: "all", rights: [.send, .manage, .listen])]
        hub.registrationTimeToLive = nil
        #expect(
            try await writtenNames(hub) == [
                "ApnsCredential", "RegistrationTtl", "WnsCredential", "AuthorizationRules", "GcmCredential",
                "MpnsCredential", "UserMetadata", "AdmCredential", "BaiduCredential", "FcmV1Credential",
                "BrowserCredential", "XiaomiCredential",
            ])
    }

    @Test func `writes a policy in the service's order`() async throws {
        var hub = NotificationHub.Description(name: "push")
        hub.accessPolicies = [.init(name: "a", rights: [.send, .listen], primaryKey: "k1", secondaryKey: "k2")]
        #expect(
            try await written(hub) == """
                <AuthorizationRules><AuthorizationRule i:type="SharedAccessAuthorizationRule">\
                <ClaimType>SharedAccessKey</ClaimType><ClaimValue>None</ClaimValue><Rights>\
                <AccessRights>Listen</AccessRights><AccessRights>Send</AccessRights></Rights><KeyName>a</KeyName>\
                <PrimaryKey>k1</PrimaryKey><SecondaryKey>k2</SecondaryKey></AuthorizationRule></AuthorizationRules>
                """)
    }

    @Test func `writes a credential's properties`() async throws {
        var hub = NotificationHub.Description(name: "push")
        hub.credentials[.fcmV1] = ["ProjectId": "a & b", "ClientEmail": "c"]
        #expect(
            try await written(hub) == """
                <FcmV1Credential><Properties><Property><Name>ClientEmail</Name><Value>c</Value></Property>\
                <Property><Name>ProjectId</Name><Value>a &amp; b</Value></Property></Properties></FcmV1Credential>
                """)
        #expect(hub.credentials[.fcmV1]?.properties["ProjectId"] == "a & b")
    }

    @Test(arguments: [
        ("P90D", 7_776_000.0), ("P1DT2H3M4.5S", 93_784.5), ("PT48H", 172_800), ("P90DT0S", 7_776_000),
    ])
    func `reads a time to live`(text: String, seconds: Double) async throws {
        let hub = try await read("<RegistrationTtl>\(text)</RegistrationTtl>")
        #expect(hub.registrationTimeToLive == .seconds(seconds))
    }

    @Test(arguments: ["P", "PT", "90", "P90", "P1Y", "P1M", "-P1D", "PT1D", "P1H", "PT1S1M", "P.D", "PT1S.S", "P1DT"])
    func `rejects a time to live that is not a duration`(text: String) async throws {
        let error = await #expect(throws: HubError.self) {
            try await read("<RegistrationTtl>\(text)</RegistrationTtl>")
        }
        #expect(error?.code == .invalidResponse)
    }

    @Test func `rejects a character that XML does not allow`() async throws {
        var hub = NotificationHub.Description(name: "push")
        hub.userMetadata = "a\u{1}"
        let error = await #expect(throws: HubValidationError.self) { try await written(hub) }
        #expect(error?.code == .invalidCharacter && error?.offset == 1)
    }

    @Test func `creates random keys`() {
        let policies = (0..<2).map { _ in NotificationHub.AccessPolicy(name: "a", rights: [.send]) }
        let keys = Set(policies.flatMap { [$0.primaryKey, $0.secondaryKey] })
        #expect(keys.count == 4 && keys.allSatisfy { $0?.utf8.count == 44 })
    }

    @Test func `redacts keys, credentials and unknown elements`() async throws {
        let hub = try await read(Self.elements)
        let transport = ScriptedTransport { _ in HubResponse(status: 200) }
        let namespace = try NamespaceRequestTests.namespace(transport)
        let values: [Any] = [hub, hub.accessPolicies, hub.credentials, hub.credentials[.apple] as Any, namespace]
        for value in values {
            let printed = everythingPrinted(of: value)
            #expect(!printed.contains("sesame"), "\(type(of: value)) shows a secret")
            #expect(!printed.contains(NotificationHub.keyText), "\(type(of: value)) shows a key")
        }
        #expect("\(hub)" == "NotificationHub.Description(push)")
        #expect("\(namespace)" == "NotificationHubNamespace(https://contoso.servicebus.windows.net)")
        #expect("\(hub.accessPolicies)".contains("AccessPolicy(name: \"both\", rights: [\"Listen\", \"Send\"]"))
        #expect("\(hub.credentials)".contains("PlatformCredential(AppId, Token)"))
    }
}

#if canImport(FoundationEssentials)
import struct FoundationEssentials.Data
#else
import struct Foundation.Data
#endif

extension NotificationHub {
    /// A hub's credential for a platform: properties and their values, some of which are secrets.
    ///
    /// ```swift
    /// hub.credentials[.apple] = .appleToken(key: text, keyID: "ABC123DEFG", teamID: "DEF123GHIJ", bundleID: "com.example.app")
    /// hub.credentials[.fcmV1] = try .firebase(serviceAccount: json)
    /// ```
    ///
    /// The names of the properties depend on the platform. For other credentials, pass the properties, such as `ClientId` and
    /// `ClientSecret` for ``PushPlatform/adm``.
    ///
    /// Sources: the `*Credential.cs` of the .NET SDK, the credentials of the Java SDK, and [ApnsCredential](https://learn.microsoft.com/javascript/api/@azure/arm-notificationhubs/apnscredential).
    public struct PlatformCredential: Hashable, Sendable, ExpressibleByDictionaryLiteral {
        /// The values, some of which are secrets, by property.
        public var properties: [String: String]

        /// Creates a credential.
        public init(_ properties: [String: String]) {
            self.properties = properties
        }

        /// Creates a credential from properties and values. A property must not appear twice.
        public init(dictionaryLiteral elements: (String, String)...) {
            properties = Dictionary(uniqueKeysWithValues: elements)
        }
    }
}

extension NotificationHub.PlatformCredential: CustomStringConvertible, CustomReflectable {
    /// The names of the properties, without their values.
    public var description: String { "PlatformCredential(\(properties.keys.sorted().joined(separator: ", ")))" }

    /// The names of the properties, without their values.
    public var customMirror: Mirror { Mirror(self, children: ["names": properties.keys.sorted()]) }
}

extension NotificationHub.PlatformCredential {
    init(xml element: XMLElement) {
        properties = [:]
        for property in element["Properties"]?.children ?? [] {
            if let name = property["Name"]?.content { properties[name] = property["Value"]?.text ?? "" }
        }
    }

    /// Returns a credential's element with its properties replaced by these.
    func xml(replacing element: XMLElement) -> XMLElement {
        var element = element
        let properties = properties.sorted { $0.key < $1.key }.map { name, value in
            XMLElement(
                name: "Property",
                children: [XMLElement(name: "Name", text: name), XMLElement(name: "Value", text: value)])
        }
        element.setChild("Properties", XMLElement(name: "Properties", children: properties), order: [])
        return element
    }
}

extension NotificationHub.PlatformCredential {
    /// The server of Apple that accepts an app's device tokens.
    public enum AppleServer: Hashable, Sendable {
        /// The server for apps from the App Store and TestFlight.
        case production
        /// The server for apps that Xcode installs.
        case sandbox
    }

    /// Returns a credential for ``PushPlatform/apple`` with a signing key.
    ///
    /// - Parameters:
    ///   - key: The content of the `.p8` file. The PEM header and footer are removed.
    ///   - keyID: The key's ID of ten characters.
    ///   - teamID: The ID of the developer's team, of ten characters.
    ///   - bundleID: The app's bundle ID, which the hub sends as the topic.
    ///   - server: The server for the app's device tokens.
    public static func appleToken(
        key: String, keyID: String, teamID: String, bundleID: String, server: AppleServer = .production
    ) -> Self {
        // The text between the markers of PEM (RFC 7468), or all of it.
        let parts = key.split(separator: "-----", omittingEmptySubsequences: true)
        let text = parts.first { !$0.hasPrefix("BEGIN ") && !$0.hasPrefix("END ") && !$0.allSatisfy(\.isWhitespace) }
        let host = server == .production ? "api.push.apple.com" : "api.development.push.apple.com"
        return [
            "Endpoint": "https://\(host):443/3/device", "KeyId": keyID, "AppId": teamID, "AppName": bundleID,
            "Token": (text ?? "").filter { !$0.isWhitespace },
        ]
    }

    /// Returns a credential for ``PushPlatform/apple`` with a certificate.
    ///
    /// - Parameters:
    ///   - file: The content of the `.p12` file, with the certificate and its private key.
    ///   - password: The file's password.
    ///   - server: The server for the app's device tokens.
    public static func appleCertificate(
        _ file: some Sequence<UInt8>, password: String, server: AppleServer = .production
    ) -> Self {
        [
            "Endpoint": server == .production ? "gateway.push.apple.com" : "gateway.sandbox.push.apple.com",
            "ApnsCertificate": Data(file).base64EncodedString(), "CertificateKey": password,
        ]
    }

    /// Returns a credential for ``PushPlatform/fcmV1``.
    ///
    /// - Parameters:
    ///   - projectID: The ID of the project in Firebase.
    ///   - clientEmail: The address of the project's service account.
    ///   - privateKey: The private key of the service account, in PEM.
    public static func firebase(projectID: String, clientEmail: String, privateKey: String) -> Self {
        ["ProjectId": projectID, "ClientEmail": clientEmail, "PrivateKey": privateKey]
    }

    /// Returns a credential for ``PushPlatform/fcmV1`` from the file of a service account that Firebase's console creates.
    ///
    /// - Throws: ``HubValidationError`` if the text is not JSON, or lacks `project_id`, `client_email` or `private_key`.
    public static func firebase(serviceAccount json: some Sequence<UInt8>) throws(HubValidationError) -> Self {
        let value: JSONValue
        do {
            value = try JSONValue(parsing: json)
        } catch {
            // The file contains a secret, which the parser's message can quote.
            throw HubValidationError(.invalidJSON, "the file of a service account must be JSON")
        }
        var reader = try JSONMemberReader(value)
        return firebase(
            projectID: try reader.required("project_id").text(),
            clientEmail: try reader.required("client_email").text(),
            privateKey: try reader.required("private_key").text())
    }

    /// Returns a credential for ``PushPlatform/windows``.
    ///
    /// - Parameters:
    ///   - packageSID: The app's security identifier, such as `ms-app://s-1-15-2-…`.
    ///   - secretKey: The app's secret key.
    public static func windows(packageSID: String, secretKey: String) -> Self {
        ["PackageSid": packageSID, "SecretKey": secretKey]
    }

    /// Returns a credential for ``PushPlatform/browser``: the VAPID keys that identify the sender to the push
    /// service (RFC 8292).
    ///
    /// - Parameters:
    ///   - subject: A `mailto:` or `https:` URL of the sender.
    ///   - publicKey: The public key in the URL alphabet of Base64.
    ///   - privateKey: The private key in the URL alphabet of Base64.
    public static func browser(subject: String, publicKey: String, privateKey: String) -> Self {
        ["Subject": subject, "VapidPublicKey": publicKey, "VapidPrivateKey": privateKey]
    }

    /// Returns a credential for ``PushPlatform/baidu``.
    ///
    /// Omits `BaiduEndPoint`: the .NET SDK rejects a credential with more than two properties.
    ///
    /// Source: the .NET SDK's `BaiduCredential.cs`.
    public static func baidu(apiKey: String, secretKey: String) -> Self {
        ["BaiduApiKey": apiKey, "BaiduSecretKey": secretKey]
    }

    /// The server of Xiaomi that sends an app's messages.
    public enum XiaomiServer: Hashable, Sendable {
        /// The server for apps in mainland China.
        case mainlandChina
        /// The server for apps in other countries and regions.
        case global
        /// The server for tests.
        case sandbox
    }

    /// Returns a credential for ``PushPlatform/xiaomi``.
    ///
    /// Source: the .NET SDK's `XiaomiCredential.cs`, which requires both properties and allows three endpoints.
    ///
    /// - Parameters:
    ///   - appSecret: The app's secret from Xiaomi's developer console.
    ///   - server: The server for the app.
    public static func xiaomi(appSecret: String, server: XiaomiServer = .mainlandChina) -> Self {
        let host =
            switch server {
            case .mainlandChina: "api.xmpush.xiaomi.com"
            case .global: "api.xmpush.global.xiaomi.com"
            case .sandbox: "sandbox.xmpush.xiaomi.com"
            }
        return ["AppSecret": appSecret, "Endpoint": "https://\(host)"]
    }
}

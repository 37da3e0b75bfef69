import HubCommandLine
import HubText
import NotificationHubs

/// The changes to a hub's description that the command line describes.
struct HubChanges: Sendable {
    private var credentials: [PushPlatform: NotificationHub.PlatformCredential] = [:]
    private var removed: [PushPlatform] = []
    private var metadata: String?
    /// The new time to live; `.some(nil)` for never.
    private var registrationTimeToLive: Duration??

    /// Whether nothing changes.
    var isEmpty: Bool { credentials.isEmpty && removed.isEmpty && metadata == nil && registrationTimeToLive == nil }

    /// Parses the options, and reads their files.
    init(_ arguments: inout Arguments) throws {
        try takeApple(&arguments)
        if let path = try arguments.value(of: .fcmAccount) {
            credentials[.fcmV1] = try Input(path).read(as: "service account") { try .firebase(serviceAccount: $0) }
        }
        for (_, text) in try arguments.values(of: .credential) {
            guard let equals = text.firstIndex(of: "="), text.index(after: equals) < text.endIndex else {
                throw UsageError("--credential: expected PLATFORM=FILE")
            }
            let platform = try PlatformName.platform(String(text[..<equals]), of: .credential)
            guard credentials[platform] == nil else {
                throw UsageError("--credential: the command line sets the credential for \(platform.format) twice")
            }
            let input = Input(String(text[text.index(after: equals)...]))
            credentials[platform] = try input.read(as: "credential") { try Self.credential($0) }
        }
        for (_, text) in try arguments.values(of: .removeCredential) {
            removed.append(try PlatformName.platform(text, of: .removeCredential))
        }
        metadata = try arguments.value(of: .metadata)
        if let text = try arguments.value(of: .registrationTTL) {
            registrationTimeToLive =
                text == "never"
                ? .some(nil) : .some(.seconds(try TimeSpan(text, of: .registrationTTL).seconds))
        }
        if let platform = removed.first(where: { credentials[$0] != nil }) {
            throw UsageError("--remove-credential: the command line also sets the credential for \(platform.format)")
        }
    }

    private mutating func takeApple(_ arguments: inout Arguments) throws {
        let key = try arguments.value(of: .apnsKey)
        let ids: [(OptionName, String?)] = [
            (.apnsKeyID, try arguments.value(of: .apnsKeyID)),
            (.apnsTeamID, try arguments.value(of: .apnsTeamID)),
            (.apnsBundleID, try arguments.value(of: .apnsBundleID)),
        ]
        let certificate = try arguments.value(of: .apnsCertificate)
        let variable = try arguments.value(of: .apnsPasswordEnv)
        let isSandbox = arguments.flag(.apnsSandbox)
        guard key == nil || certificate == nil else {
            throw UsageError("--apns-key and --apns-certificate cannot be combined")
        }
        if key == nil, let (option, _) = ids.first(where: { $0.1 != nil }) {
            throw UsageError("\(option): requires --apns-key")
        }
        if certificate == nil, variable != nil { throw UsageError("--apns-password-env: requires --apns-certificate") }
        if key == nil, certificate == nil, isSandbox {
            throw UsageError("--apns-sandbox: requires --apns-key or --apns-certificate")
        }
        let server = isSandbox ? NotificationHub.PlatformCredential.AppleServer.sandbox : .production
        if let key {
            if let (option, _) = ids.first(where: { $0.1?.isEmpty ?? true }) {
                throw UsageError("--apns-key: requires \(option)")
            }
            let text = try Input(key).read(as: "signing key") { bytes -> String in
                guard let text = String(strictUTF8: bytes), text.hasPrefix("-----BEGIN PRIVATE KEY-----"),
                    text.contains("-----END PRIVATE KEY-----")
                else { throw InvalidKeyError() }
                return text
            }
            let credential = NotificationHub.PlatformCredential.appleToken(
                key: text, keyID: ids[0].1 ?? "", teamID: ids[1].1 ?? "", bundleID: ids[2].1 ?? "", server: server)
            // The smallest private key in this format has more bytes.
            guard Base64.decodeLenient(Array((credential.properties["Token"] ?? "").utf8))?.count ?? 0 >= 32 else {
                throw InputError(description: "--apns-key: the key in the file is not Base64, or is incomplete")
            }
            credentials[.apple] = credential
        } else if let certificate {
            let password = try variable.map { name throws(UsageError) in
                try HubSource.Connection.variable(.init(name, from: .apnsPasswordEnv)).text(named: "the password")
            }
            credentials[.apple] = .appleCertificate(
                try Input(certificate).bytes(), password: password ?? "", server: server)
        }
    }

    private struct InvalidKeyError: Error, CustomStringConvertible {
        let description = "expected -----BEGIN PRIVATE KEY----- at the start and its end, as in a .p8 file"
    }

    /// Parses a credential's properties. The error does not quote the text, which contains secrets.
    private static func credential(_ bytes: [UInt8]) throws -> NotificationHub.PlatformCredential {
        guard let object = (try? JSONValue(parsing: bytes))?.object, !object.members.isEmpty else {
            throw InvalidCredentialError()
        }
        var properties: [String: String] = [:]
        for member in object.members {
            guard let text = member.value.string else { throw InvalidCredentialError() }
            properties[member.name] = text
        }
        return .init(properties)
    }

    private struct InvalidCredentialError: Error, CustomStringConvertible {
        let description = "expected a JSON object whose members are strings"
    }

    /// Changes a description.
    func apply(to hub: inout NotificationHub.Description) throws {
        for (platform, credential) in credentials { hub.credentials[platform] = credential }
        for platform in removed { hub.credentials[platform] = nil }
        if let metadata { hub.userMetadata = metadata }
        if let registrationTimeToLive { hub.registrationTimeToLive = registrationTimeToLive }
    }
}

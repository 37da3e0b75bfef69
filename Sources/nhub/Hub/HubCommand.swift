import HubCommandLine
import NotificationHubs
import SharedAccessSignature

/// `nhub hub`: shows, creates, changes and deletes the hub itself.
enum HubCommand: Subcommand {
    static let command = Command(
        "hub", summary: "Show, create, update or delete the hub itself, and its platform credentials.",
        overview: "Manage the hub itself, and the credentials with which it sends to each platform.",
        usage: ["show [--json]", "create [SETTINGS] [--json]", "update SETTINGS [--json]", "delete [--yes] [--json]"],
        discussion: [
            """
            Requires the connection string of a namespace policy with the Manage right, such as \
            RootManageSharedAccessKey. Credentials are secrets: they come from files or environment variables, and are never \
            printed.
            """
        ],
        actions: .init([
            .init("show", help: "Print the hub's settings, with secrets redacted."),
            .init("create", help: "Create the hub."), .init("update", help: "Change some of the hub's settings."),
            .init("delete", help: "Delete the hub with all its devices and messages."),
        ]),
        groups: [
            .init(
                [
                    .init(.apnsKey, value: "FILE", help: "The signing key for Apple: a .p8 file."),
                    .init(.apnsKeyID, value: "ID", help: "The key's ID of ten characters. Requires --apns-key."),
                    .init(
                        .apnsTeamID, value: "ID", help: "The team's ID of ten characters. Requires --apns-key."),
                    .init(.apnsBundleID, value: "ID", help: "The app's bundle ID. Requires --apns-key."),
                    .init(
                        .apnsCertificate, value: "FILE",
                        help: "The certificate for Apple, instead of a key: a .p12 file."),
                    .init(
                        .apnsPasswordEnv, value: "VARIABLE",
                        help: "An environment variable that contains the certificate's password. Default: no password."),
                    .init(
                        .apnsSandbox,
                        help: "Send to devices of apps that Xcode installs, not to those of the App Store."),
                    .init(
                        .fcmAccount, value: "FILE",
                        help: "The service account for FCM v1: the JSON file that Firebase's console creates."),
                    .init(
                        .credential, value: "PLATFORM=FILE",
                        help: """
                            The credential for a platform: a file with a JSON object of its properties. Repeatable. The properties \
                            are PackageSid and SecretKey for windows; Subject, VapidPublicKey and VapidPrivateKey for browser; \
                            BaiduApiKey and BaiduSecretKey for baidu; ClientId and ClientSecret for adm; AppSecret and Endpoint for \
                            xiaomi. The Endpoint is https://api.xmpush.xiaomi.com for mainland China, \
                            https://api.xmpush.global.xiaomi.com for other countries, or https://sandbox.xmpush.xiaomi.com.
                            """),
                    .init(
                        .removeCredential, value: "PLATFORM", help: "Remove a platform's credential. Repeatable."),
                    .init(
                        .registrationTTL, value: "SPAN",
                        help:
                            "Delete registrations that are not renewed within this time, such as 90d. Pass never to keep them."
                    ),
                    .init(.metadata, value: "TEXT", help: "Custom metadata, at most 1024 characters."),
                ], title: "SETTINGS"),
            .init([
                .init(.yes, help: "Do not ask for confirmation."),
                .init(
                    .json,
                    help: """
                        Print a JSON object: hub, accessPolicies, credentials, registrationTimeToLiveSeconds, userMetadata, \
                        dailyActiveDevices, dailyActiveRegistrations, dailyPushes, dailyAPICalls; for delete: hub, deleted.
                        """),
            ]), .connection,
        ],
        sections: [
            .environment,
            .init(
                exitStatus: [
                    (.success, "success"),
                    (
                        .failure,
                        "the hub rejected the request or could not be reached, or the deletion was not confirmed"
                    ),
                    (.usage, "invalid command line or setting; nothing was sent"),
                    (
                        .unreadable,
                        "a file cannot be read or is invalid, and nothing was sent; or the result cannot be written"
                    ),
                ], signal: "; the service may still apply the write"),
        ])

    static func run(_ arguments: consuming Arguments) async throws -> ExitStatus {
        let action = try arguments.action(of: command)
        let connection = try arguments.connection()
        let changes = try HubChanges(&arguments)
        let isConfirmed = arguments.flag(.yes)
        let asJSON = arguments.flag(.json)
        try arguments.finish()
        guard changes.isEmpty || action == "create" || action == "update" else {
            throw UsageError(
                "the action \(action ?? "") does not accept settings such as --apns-key (allowed: create, update)")
        }
        if action == "update", changes.isEmpty {
            throw UsageError("nothing to change: pass a setting, such as --apns-key or --registration-ttl")
        }
        if action == "delete", !isConfirmed, !Confirmation.isPossible {
            throw UsageError("without a terminal, pass --yes to confirm")
        }
        let settings = try connection.settings()
        let (namespace, name) = (try settings.namespace(), settings.name)
        return try await Interrupt.exitStatus {
            try await HubFailure.about("hub \"\(name)\"") {
                switch action {
                case "create":
                    var hub = NotificationHub.Description(name: name)
                    try changes.apply(to: &hub)
                    do {
                        hub = try await namespace.createHub(hub)
                    } catch let error as HubError where error.code == .conflict {
                        throw HubExists(name: name)
                    }
                    try report(hub, asJSON: asJSON)
                case "update":
                    var hub = try await namespace.hub(name)
                    try changes.apply(to: &hub)
                    try report(try await namespace.updateHub(hub), asJSON: asJSON)
                case "delete":
                    let question = "This deletes the hub \(name) of \(namespace.endpoint.host), and all its devices."
                    guard try isConfirmed || Confirmation.ask(question) else { return .failure }
                    try await namespace.deleteHub(name)
                    var fields = Fields()
                    fields.add("deleted", "hub", name.rawValue)
                    fields.addMember { $0.add("deleted", true) }
                    try fields.write(asJSON: asJSON)
                default: try report(try await namespace.hub(name), asJSON: asJSON)
                }
                return .success
            }
        }
    }

    private struct HubExists: Error, CustomStringConvertible {
        let name: NotificationHub.Name
        var description: String { "the hub \"\(name)\" already exists: use nhub hub update to change it" }
    }

    private static func report(_ hub: NotificationHub.Description, asJSON: Bool) throws(Console.WriteError) {
        var fields = Fields()
        fields.add("hub", "hub", hub.name.rawValue)
        for policy in hub.accessPolicies {
            fields.addLine(
                "policy", "\(policy.name): \(policy.rights.map(\.rawValue).sorted().joined(separator: ", "))")
        }
        for (platform, credential) in hub.credentials.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            fields.addLine("credential", "\(platform): \(credential.publicText)")
        }
        fields.addMember { object in
            let policies = hub.accessPolicies.map { policy -> JSONValue in
                [
                    "name": .string(policy.name),
                    "rights": .array(policy.rights.map(\.rawValue).sorted().map { .string($0) }),
                ]
            }
            object.add("accessPolicies", literal: String(decoding: JSONValue.array(policies).bytes, as: UTF8.self))
            var credentials = JSONObject()
            for (platform, credential) in hub.credentials { credentials[platform.rawValue] = credential.publicJSON }
            object.add("credentials", literal: String(decoding: JSONValue.object(credentials).bytes, as: UTF8.self))
        }
        if let seconds = hub.registrationTimeToLive?.components.seconds {
            let text = seconds.isMultiple(of: 86_400) ? "\(seconds / 86_400) days" : "\(seconds) seconds"
            fields.addLine("registrations expire after", text)
            fields.addMember { $0.add("registrationTimeToLiveSeconds", seconds) }
        }
        fields.add("metadata", "userMetadata", hub.userMetadata)
        let counts: [(String, String, Int?)] = [
            ("devices today", "dailyActiveDevices", hub.dailyActiveDeviceCount),
            ("registrations today", "dailyActiveRegistrations", hub.dailyActiveRegistrationCount),
            ("messages today", "dailyPushes", hub.dailyPushCount),
            ("calls today", "dailyAPICalls", hub.dailyAPICallCount),
        ]
        for (name, member, count) in counts {
            guard let count else { continue }
            fields.addLine(name, "\(count)")
            fields.addMember { $0.add(member, Int64(count)) }
        }
        try fields.write(asJSON: asJSON)
    }
}

extension NotificationHub.PlatformCredential {
    /// The properties that are not secret.
    private static let publicNames: Set = [
        "Endpoint", "KeyId", "AppId", "AppName", "Thumbprint", "ProjectId", "ClientEmail", "PackageSid", "Subject",
        "VapidPublicKey", "BaiduEndPoint", "WindowsLiveEndpoint", "ClientId",
    ]

    /// The properties in order, with secrets redacted.
    private var publicProperties: [(name: String, value: String)] {
        properties.sorted { $0.key < $1.key }.map { name, value in
            (name, value.isEmpty ? "(empty)" : Self.publicNames.contains(name) ? value : "(redacted)")
        }
    }

    fileprivate var publicText: String {
        publicProperties.map { "\($0.name) \($0.value)" }.joined(separator: ", ")
    }

    fileprivate var publicJSON: JSONValue {
        .object(JSONObject(Dictionary(publicProperties.map { ($0.name, $0.value) }) { first, _ in first }))
    }
}

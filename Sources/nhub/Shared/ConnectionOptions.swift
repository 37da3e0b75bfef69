import HubCommandLine
import NotificationHubs
import SharedAccessSignature

/// The options that select a hub, as given on the command line.
///
/// The hub's connection string comes from the first of: the options, the selected profile, the environment, the default profile. The
/// hub's name comes from the same places, where a connection string's `EntityPath` counts as a name. A selected profile replaces the
/// environment.
struct ConnectionOptions: Sendable {
    /// The environment variable that selects a profile.
    static let profileVariable = "NHUB_PROFILE"

    /// The settings in the options.
    private let source: HubSource
    private let profile: String?
    private let isVerbose: Bool
    /// A file of certificate authorities to trust in addition to the system's.
    let caFile: String?
    /// The names of the given options.
    let names: [OptionName]
    /// Whether the options select the target of a command with two hubs, for which the environment is not used.
    private let isTarget: Bool

    /// The value of `--hub`.
    var hub: String? { source.hub?.value }

    /// Parses the options.
    init(_ arguments: inout Arguments) throws(UsageError) {
        let hub = try arguments.value(of: .hub)
        let variable = try arguments.value(of: .connectionStringEnv)
        let file = try arguments.value(of: .connectionStringFile)
        profile = try arguments.value(of: .profile)
        caFile = try arguments.value(of: .caFile)
        isVerbose = arguments.flag(.verbose)
        guard variable == nil || file == nil else {
            throw UsageError("--connection-string-env and --connection-string-file cannot be combined")
        }
        guard profile == nil || variable == nil && file == nil else {
            throw UsageError("--profile cannot be combined with another connection string")
        }
        source = HubSource(
            hub: hub.map { .init($0, from: .hub) },
            connection: variable.map { .variable(.init($0, from: .connectionStringEnv)) }
                ?? file.map { .file(.init($0, from: .connectionStringFile)) })
        let given: [(OptionName, String?)] = [
            (.hub, hub), (.connectionStringEnv, variable), (.connectionStringFile, file),
            (.profile, profile), (.caFile, caFile), (.verbose, isVerbose ? "" : nil),
        ]
        names = given.filter { $0.1 != nil }.map(\.0)
        isTarget = false
    }

    /// Parses the options that select the target of a command with two hubs. The environment is not used.
    ///
    /// - Throws: `UsageError` if no target is given.
    init(target arguments: inout Arguments) throws(UsageError) {
        let hub = try arguments.value(of: .toHub)
        let variable = try arguments.value(of: .toConnectionStringEnv)
        let file = try arguments.value(of: .toConnectionStringFile)
        profile = try arguments.value(of: .to)
        guard [profile, variable, file].compactMap(\.self).count == 1 else {
            throw UsageError(
                "pass exactly one of --to, --to-connection-string-env and --to-connection-string-file")
        }
        source = HubSource(
            hub: hub.map { .init($0, from: .toHub) },
            connection: variable.map { .variable(.init($0, from: .toConnectionStringEnv)) }
                ?? file.map { .file(.init($0, from: .toConnectionStringFile)) },
            missingHub: UsageError("missing hub name: pass --to-hub, or add EntityPath to the connection string"))
        (isVerbose, caFile, names, isTarget) = (false, nil, [], true)
    }

    /// Returns the settings, reading environment variables and files as needed.
    ///
    /// - Throws: `UsageError` for a missing or invalid setting. The message omits secrets.
    func settings() throws(UsageError) -> HubSettings {
        var sources = [source]
        if let (name, source) = selectedProfile {
            sources.append(try ProfileFile.read().profile(named: name, of: source).source)
        } else if !isTarget {
            sources.append(.environment)
            if sources.allSatisfy({ $0.connection == nil }), let profile = try ProfileFile.readIfPresent()?.standard {
                sources.append(profile.source)
            }
        }
        guard let index = sources.firstIndex(where: { $0.connection != nil }),
            let connection = try sources[index].connection?.connectionString()
        else { throw HubSource.missingConnection }
        // An EntityPath belongs to its connection string's source.
        var name: HubSource.Setting?
        for (position, source) in sources.enumerated() where name == nil {
            name = source.hub ?? (position == index ? connection.entityPath.map { .init($0, from: "EntityPath") } : nil)
        }
        guard let name else { throw sources[index].missingHub }
        return HubSettings(
            connection: connection,
            name: try UsageError.parsing(name.label) { try NotificationHub.Name(validating: name.value) },
            caFile: caFile, isVerbose: isVerbose)
    }

    /// The profile that is selected explicitly, and the option or variable that selects it.
    private var selectedProfile: (name: String, source: String)? {
        if let profile { return (profile, "\(isTarget ? OptionName.to : .profile)") }
        if isTarget { return nil }
        return HubSource.Setting(variable: Self.profileVariable).map { ($0.value, $0.label) }
    }
}

extension Arguments {
    /// Removes and returns the options that select a hub.
    mutating func connection() throws(UsageError) -> ConnectionOptions {
        try ConnectionOptions(&self)
    }
}

extension Command.OptionGroup {
    /// The options of subcommands that connect to a hub.
    static let connection = connection(title: "CONNECTION")

    /// Returns the options of subcommands that connect to a hub.
    static func connection(title: String) -> Self {
        Self(
            [
                .init(
                    .hub, value: "NAME",
                    help: "The hub's name. Default: that of the profile, the environment or EntityPath."),
                .init(
                    .connectionStringEnv, value: "VARIABLE",
                    help: "An environment variable that contains the connection string."),
                .init(
                    .connectionStringFile, value: "FILE", help: "A file that contains the connection string."),
                .init(
                    .profile, value: "NAME",
                    help: "A profile of the configuration file, which replaces the environment. See nhub profiles."),
                .init(.verbose, help: "Report each attempt of a request, and each retry, on standard error."),
                .init(
                    .caFile, value: "FILE", help: "Also trust the certificate authorities in this PEM file."),
            ], title: title)
    }
}

extension Command.Section {
    /// The environment variables of subcommands that connect to a hub.
    static let environment = Self(
        "ENVIRONMENT",
        list: [
            (
                "NOTIFICATION_HUB_CONNECTION_STRING",
                "The connection string of one of the hub's access policies, unless an option or profile has one."
            ),
            ("NOTIFICATION_HUB_NAME", "The hub's name, unless an option or profile has one."),
            (ConnectionOptions.profileVariable, "The profile, unless --profile is given."),
            ("XDG_CONFIG_HOME", "The directory that contains nhub/config, the profiles. Default: ~/.config."),
            ("SSL_CERT_FILE", "A PEM file of certificate authorities that replaces the system's."),
            ("https_proxy, all_proxy, no_proxy", "The proxy for HTTPS, and the hosts to connect to without it."),
        ])
}

import NotificationHubsEmulatorServer
import HubCommandLine
import NotificationHubs
import NotificationHubsEmulator
import SharedAccessSignature

/// The options of `nhub emulator`, from the command line and the environment.
struct EmulatorOptions: Sendable {
    let hubs: [ServedHub]
    /// The file with the state of all hubs; `nil` for none.
    let stateFile: StateFile?
    let port: UInt16
    let tier: HubEmulator.Tier
    let profile: HubEmulator.Profile
    let writeDelay: Duration
    /// Whether to warn about a message for a platform without credentials.
    let requiresCredentials: Bool
    let faults: HubEmulator.Faults
    /// The address to listen on, or `nil` for the loopback interface.
    let listenAddress: String?
    /// Whether to serve TLS.
    let usesTLS: Bool
    /// The host names in the certificate. The first one is used in URLs.
    let names: [String]
    /// The endpoint of the proxy in front of the emulator.
    let proxy: ServiceEndpoint?
    let secrets: EmulatorSecrets
    /// The limit on the memory of the hubs' state, in bytes.
    let maximumMemory: Int

    /// Parses the options.
    init(_ arguments: inout Arguments, defaultPort: UInt16) throws(UsageError) {
        hubs = try ServedHub.all(&arguments)
        stateFile = try arguments.value(of: .state).map(StateFile.init)
        if stateFile != nil, hubs.contains(where: \.hasFiles) {
            throw UsageError("--state saves installations, too: use either --state, or --import and --export")
        }
        port = try arguments.number(of: .port, in: 0...65_535).map(UInt16.init) ?? defaultPort
        tier = try arguments.value(of: .tier).flatMap(HubEmulator.Tier.init) ?? .standard
        profile = try arguments.value(of: .profile).flatMap(HubEmulator.Profile.init) ?? .service2024
        writeDelay =
            try Self.value(
                &arguments, .writeDelay, Duration.init(shortText:), expected: "a duration such as 500ms or 2s")
            ?? .zero
        maximumMemory =
            try Self.value(
                &arguments, .maxMemory, Self.byteCount, expected: "a size from 1M to 1024G, such as 512M or 4G")
            ?? HubEmulator.Options().memoryLimit
        faults = HubEmulator.Faults(
            try Self.faults(&arguments, hubs),
            seed: try arguments.number(of: .seed, in: 0...Int.max).map(UInt64.init) ?? 1)
        listenAddress = try arguments.value(of: .listen)
        usesTLS = arguments.flag(.tls)
        requiresCredentials = arguments.flag(.requireCredentials)
        names = try arguments.values(of: .host).map { $0.value.lowercased() }
        proxy = try arguments.value(of: .behindProxy).map { url throws(UsageError) in
            try UsageError.parsing(.behindProxy) {
                try ServiceEndpoint(url, isDevelopmentEmulator: url.lowercased().hasPrefix("http://"))
            }
        }
        secrets = try EmulatorSecrets(&arguments, isDevelopment: listenAddress == nil)
        if !names.isEmpty, !usesTLS { throw UsageError("--host: requires --tls") }
        for name in names where !LocalAuthority.permits(name) {
            let domains = HostName.certifiableDomains.joined(separator: ", ")
            throw UsageError("--host: expected a loopback address or a name in one of these domains: \(domains)")
        }
    }

    /// The network of the server, without its certificate.
    var network: HubEmulator.Server.Network {
        var network = HubEmulator.Server.Network(
            address: listenAddress ?? "127.0.0.1", port: port,
            controlToken: listenAddress == nil ? nil : secrets.controlToken, name: names.first, proxy: proxy)
        network.rejectsPublicNames = listenAddress == nil || secrets.usesDevelopmentKey
        return network
    }

    /// Removes an option and returns its converted value, or `nil` if it is missing.
    private static func value<Value>(
        _ arguments: inout Arguments, _ option: OptionName, _ convert: (String) -> Value?, expected: String
    ) throws(UsageError) -> Value? {
        guard let text = try arguments.value(of: option) else { return nil }
        guard let value = convert(text) else { throw UsageError("\(option): expected \(expected)") }
        return value
    }

    /// Returns a size such as `512M`, in bytes.
    private static func byteCount(_ text: String) -> Int? {
        guard let unit = text.last.flatMap({ ["K": 1 << 10, "M": 1 << 20, "G": 1 << 30][$0.uppercased()] }),
            let number = Int(text.dropLast()), number > 0, number <= (1 << 40) / unit, number * unit >= 1 << 20
        else { return nil }
        return number * unit
    }

    private static func faults(
        _ arguments: inout Arguments, _ hubs: [ServedHub]
    ) throws(UsageError) -> [HubEmulator.Fault] {
        var faults: [HubEmulator.Fault] = []
        for (_, text) in try arguments.values(of: .fault) {
            let fault = try UsageError.parsing(.fault) { try HubEmulator.Fault(text) }
            if let name = fault.hubName, !hubs.contains(where: { $0.name.isSame(as: name) }) {
                throw UsageError("--fault: unknown hub; add it with --hub")
            }
            faults.append(fault)
        }
        return faults
    }
}

/// The emulator's keys and control token, from the command line, the environment, or generated.
struct EmulatorSecrets: Sendable {
    /// The key for full access; `nil` for a random one.
    let fullKey: String?
    private let listenKey: String?
    /// The storage account of the first hub.
    let storageAccount: HubEmulator.StorageAccount
    /// Whether the storage account's key is that of the environment or the development key, not a random one.
    let isStorageKeyKnown: Bool
    /// The token for requests below `/$emulator/` from other machines.
    let controlToken: String

    /// Whether one of the keys is public, so that a web page whose name resolves to this machine could use it.
    let usesDevelopmentKey: Bool

    /// The environment variable with the control token.
    static let controlTokenName = "NOTIFICATION_HUB_EMULATOR_CONTROL_TOKEN"

    /// The environment variable with the storage account's key.
    static let storageKeyName = "NOTIFICATION_HUB_EMULATOR_STORAGE_KEY"

    /// The keys of emulators that only programs on this machine can reach. They are public, and grant access to test data only.
    private static let developmentKeys = (
        full: "c3dpZnQtbm90aWZpY2F0aW9uLWh1YnMgZW11bGF0b3I=", listen: "c3dpZnQtbm90aWZpY2F0aW9uLWh1YnMgbGlzdGVuZXI=",
        storage: "c3dpZnQtbm90aWZpY2F0aW9uLWh1YnMgc3RvcmFnZSE="
    )

    /// Reads the secrets from the options and the environment, and generates the missing control token.
    ///
    /// - Parameter isDevelopment: Whether missing keys are the fixed development keys. Otherwise, they are random.
    init(_ arguments: inout Arguments, isDevelopment: Bool) throws(UsageError) {
        let fixed = isDevelopment ? Self.developmentKeys : nil
        let givenKey = try Self.key(&arguments)
        let environmentKey = try Self.value("NOTIFICATION_HUB_EMULATOR_FULL_KEY")
        fullKey = givenKey ?? environmentKey ?? fixed?.full
        listenKey = try Self.value("NOTIFICATION_HUB_EMULATOR_LISTEN_KEY") ?? fixed?.listen
        let storageKey = try Self.value(Self.storageKeyName) ?? fixed?.storage
        let known = Self.developmentKeys
        usesDevelopmentKey = fullKey == known.full || listenKey == known.listen || storageKey == known.storage
        isStorageKeyKnown = storageKey != nil
        storageAccount = try UsageError.parsing(Self.storageKeyName) { try HubEmulator.StorageAccount(key: storageKey) }
        controlToken = try Self.value(Self.controlTokenName) ?? HubEmulator.AccessPolicy.randomKey()
    }

    /// Removes the options for the key, and returns the key. A key itself is not an option, because all users can list processes.
    private static func key(_ arguments: inout Arguments) throws(UsageError) -> String? {
        let variable = try arguments.value(of: .keyEnv).map { HubSource.Setting($0, from: .keyEnv) }
        let file = try arguments.value(of: .keyFile).map { HubSource.Setting($0, from: .keyFile) }
        guard variable == nil || file == nil else { throw UsageError("--key-env and --key-file cannot be combined") }
        guard let source = variable.map(HubSource.Connection.variable) ?? file.map(HubSource.Connection.file) else {
            return nil
        }
        return try checked(Array(source.text(named: "the key").utf8), from: source.label)
    }

    /// Returns the access policies of a new hub.
    func policies() -> [HubEmulator.AccessPolicy] {
        zip(HubEmulator.AccessPolicy.defaults(), [fullKey, listenKey]).map { policy, key in
            key.map { HubEmulator.AccessPolicy(name: policy.name, key: $0, rights: policy.rights) } ?? policy
        }
    }

    /// Returns a secret from the environment that is valid in a connection string and in a header.
    static func value(_ variable: String) throws(UsageError) -> String? {
        guard let bytes = Environment.bytes(of: variable), !bytes.isEmpty else { return nil }
        return try checked(bytes, from: variable)
    }

    private static func checked(_ bytes: [UInt8], from source: String) throws(UsageError) -> String {
        guard !bytes.isEmpty, bytes.count <= 256,
            bytes.allSatisfy({ $0 > 0x20 && $0 < 0x7f && $0 != UInt8(ascii: ";") })
        else {
            throw UsageError("\(source): expected 1 to 256 printable ASCII characters without spaces or semicolons")
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

import NotificationHubsEmulatorServer
import HubCommandLine
import HubServer
import NotificationHubs

/// The environment variables of a program that uses the emulator.
struct EmulatorEnvironment {
    let variables: [String: String]

    /// The environment variable with the path of the certificate that clients must trust.
    private static let certificateFileName = "NOTIFICATION_HUB_EMULATOR_CA_FILE"

    /// The certificate that clients of an emulator with TLS must trust: the one in the environment, or that of
    /// `nhub emulator --tls`. `nil` if there is none, and on Apple platforms, where the keychain must contain it.
    static var certificateFile: String? {
        #if canImport(Darwin)
        nil
        #else
        (try? Environment.value(of: certificateFileName)) ?? LocalAuthority.existingCertificatePath
        #endif
    }

    init(
        connectionString: String, hub: NotificationHub.Name, storageConnectionString: String?, controlToken: String?,
        certificateFile: String?
    ) {
        var variables = ["NOTIFICATION_HUB_CONNECTION_STRING": connectionString, "NOTIFICATION_HUB_NAME": hub.rawValue]
        // Azure's command line and samples read this variable.
        variables["AZURE_STORAGE_CONNECTION_STRING"] = storageConnectionString
        variables[EmulatorSecrets.controlTokenName] = controlToken
        variables[Self.certificateFileName] = certificateFile
        // Node.js trusts this file in addition to its own authorities. The variables of other programs replace theirs.
        variables["NODE_EXTRA_CA_CERTS"] = certificateFile
        // A selected profile would replace the connection string.
        let profile = ConnectionOptions.profileVariable
        if Environment.bytes(of: profile) != nil { variables[profile] = "" }
        self.variables = variables
    }

    /// Creates the environment for an emulator that is started with the same options.
    ///
    /// - Throws: ``UsageError`` if the options leave the port or the key open.
    init(_ options: EmulatorOptions) throws {
        guard options.port > 0 else { throw UsageError("--port: expected a number from 1 to 65535 with env") }
        guard options.secrets.fullKey != nil else {
            throw UsageError("--listen with env requires NOTIFICATION_HUB_EMULATOR_FULL_KEY, --key-env or --key-file")
        }
        let authority = options.usesTLS ? try LocalAuthority() : nil
        var network = options.network
        network.identity = try authority?.authority.identity()
        self.init(
            connectionString: network.connectionString(for: options.secrets.policies()[0], port: options.port),
            hub: options.hubs[0].name,
            storageConnectionString: options.secrets.isStorageKeyKnown
                ? network.connectionString(for: options.secrets.storageAccount, port: options.port) : nil,
            controlToken: nil, certificateFile: authority?.certificatePath)
    }

    /// The shell commands that set the variables.
    var lines: [String] {
        variables.sorted { $0.key < $1.key }.map { name, value in
            "export \(name)='\(value.split(separator: "'", omittingEmptySubsequences: false).joined(separator: #"'\''"#))'"
        }
    }
}

import HubCommandLine
import NotificationHubs
import NotificationHubsEmulator

/// The options of `nhub emulator`, from the command line and the environment.
struct EmulatorOptions: Sendable {
    let hubs: [ServedHub]
    let port: UInt16
    let tier: HubEmulator.Tier
    let writeDelay: Duration
    let faults: HubEmulator.Faults
    /// The address to listen on, or `nil` for the loopback interface.
    let listenAddress: String?
    let secrets: EmulatorSecrets

    /// Parses the options.
    init(_ arguments: inout Arguments, defaultPort: UInt16) throws(UsageError) {
        hubs = try ServedHub.all(&arguments)
        port = try Self.number(&arguments, "--port", 0...65_535).map(UInt16.init) ?? defaultPort
        tier =
            try arguments.value(of: "--tier").map { text throws(UsageError) in
                guard let tier = HubEmulator.Tier(rawValue: text) else {
                    throw UsageError("--tier: expected free, basic or standard")
                }
                return tier
            } ?? .standard
        writeDelay =
            try arguments.value(of: "--write-delay").map { text throws(UsageError) in
                guard let delay = Duration(shortText: text) else {
                    throw UsageError("--write-delay: expected a duration such as 500ms or 2s")
                }
                return delay
            } ?? .zero
        faults = HubEmulator.Faults(
            try Self.faults(&arguments, hubs),
            seed: try Self.number(&arguments, "--seed", 0...Int.max).map(UInt64.init) ?? 1)
        listenAddress = try arguments.value(of: "--listen")
        secrets = try EmulatorSecrets.fromEnvironment()
    }

    private static func faults(
        _ arguments: inout Arguments, _ hubs: [ServedHub]
    ) throws(UsageError) -> [HubEmulator.Fault] {
        var faults: [HubEmulator.Fault] = []
        for (_, text) in try arguments.values(of: "--fault") {
            let fault = try UsageError.parsing("--fault") { try HubEmulator.Fault(text) }
            if let name = fault.hubName, !hubs.contains(where: { $0.name.isSame(as: name) }) {
                throw UsageError("--fault: unknown hub; add it with --hub")
            }
            faults.append(fault)
        }
        return faults
    }

    private static func number(
        _ arguments: inout Arguments, _ option: String, _ range: ClosedRange<Int>
    ) throws(UsageError) -> Int? {
        guard let text = try arguments.value(of: option) else { return nil }
        guard let number = Int(text), range.contains(number), !text.hasPrefix("+") else {
            throw UsageError("\(option): expected a number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }
}

/// The emulator's keys and control token, from the environment or random.
struct EmulatorSecrets: Sendable {
    private let fullKey: String?
    private let listenKey: String?
    /// The token for requests below `/$emulator/` from other machines.
    let controlToken: String

    /// The environment variable with the control token.
    static let controlTokenName = "NOTIFICATION_HUB_EMULATOR_CONTROL_TOKEN"

    /// Reads the secrets from the environment, and generates the missing control token.
    static func fromEnvironment() throws(UsageError) -> EmulatorSecrets {
        EmulatorSecrets(
            fullKey: try value("NOTIFICATION_HUB_EMULATOR_FULL_KEY"),
            listenKey: try value("NOTIFICATION_HUB_EMULATOR_LISTEN_KEY"),
            controlToken: try value(controlTokenName) ?? HubEmulator.AccessPolicy.randomKey())
    }

    /// Returns the access policies of a new hub.
    func policies() -> [HubEmulator.AccessPolicy] {
        zip(HubEmulator.AccessPolicy.defaults(), [fullKey, listenKey]).map { policy, key in
            key.map { HubEmulator.AccessPolicy(name: policy.name, key: $0, rights: policy.rights) } ?? policy
        }
    }

    /// Returns a secret from the environment that is valid in a connection string and in a header.
    private static func value(_ variable: String) throws(UsageError) -> String? {
        guard let bytes = Environment.bytes(of: variable), !bytes.isEmpty else { return nil }
        guard bytes.count <= 256, bytes.allSatisfy({ $0 > 0x20 && $0 < 0x7f && $0 != UInt8(ascii: ";") }) else {
            throw UsageError("\(variable): expected 1 to 256 printable ASCII characters without spaces or semicolons")
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

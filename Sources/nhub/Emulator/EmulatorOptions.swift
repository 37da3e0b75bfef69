import HubCommandLine
import NotificationHubs
import NotificationHubsEmulator

/// What the command line and the environment of `nhub emulator` ask for.
struct EmulatorOptions: Sendable {
    let hubs: [ServedHub]
    let port: UInt16
    let tier: HubEmulator.Tier
    let writeDelay: Duration
    let faults: HubEmulator.Faults
    /// The address to listen on, unless it is the loopback interface's.
    let listening: String?
    let secrets: EmulatorSecrets

    /// Takes the options off the command line.
    init(_ arguments: inout Arguments, defaultPort: UInt16) throws(UsageError) {
        hubs = try ServedHub.all(&arguments)
        port = try Self.number(&arguments, "--port", 0...65_535).map(UInt16.init) ?? defaultPort
        tier =
            try arguments.value(of: "--tier").map { text throws(UsageError) in
                guard let tier = HubEmulator.Tier(rawValue: text) else {
                    throw UsageError("--tier wants free, basic or standard")
                }
                return tier
            } ?? .standard
        writeDelay =
            try arguments.value(of: "--write-delay").map { text throws(UsageError) in
                guard let delay = Duration(shortText: text) else {
                    throw UsageError("--write-delay wants a time such as 500ms or 2s")
                }
                return delay
            } ?? .zero
        faults = HubEmulator.Faults(
            try Self.faults(&arguments, hubs),
            seed: try Self.number(&arguments, "--seed", 0...Int.max).map(UInt64.init) ?? 1)
        listening = try arguments.value(of: "--listen")
        secrets = try EmulatorSecrets.fromEnvironment()
    }

    private static func faults(
        _ arguments: inout Arguments, _ hubs: [ServedHub]
    ) throws(UsageError) -> [HubEmulator.Fault] {
        var faults: [HubEmulator.Fault] = []
        for (_, text) in try arguments.values(of: "--fault") {
            let fault = try UsageError.reading("--fault") { try HubEmulator.Fault(text) }
            if let name = fault.hubName, !hubs.contains(where: { $0.name.isSame(as: name) }) {
                throw UsageError("--fault: there is no such hub; name it by --hub, too")
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
            throw UsageError("\(option) wants a number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }
}

/// The keys and the token of an emulator: those of the environment, and random ones in place of what is not there.
struct EmulatorSecrets: Sendable {
    private let fullKey: String?
    private let listenKey: String?
    /// What is asked for below `/$emulator/`, beyond this machine.
    let controlToken: String

    /// The variable that holds it.
    static let controlTokenName = "NOTIFICATION_HUB_EMULATOR_CONTROL_TOKEN"

    /// The secrets of the environment.
    static func fromEnvironment() throws(UsageError) -> EmulatorSecrets {
        EmulatorSecrets(
            fullKey: try value("NOTIFICATION_HUB_EMULATOR_FULL_KEY"),
            listenKey: try value("NOTIFICATION_HUB_EMULATOR_LISTEN_KEY"),
            controlToken: try value(controlTokenName) ?? HubEmulator.AccessPolicy.randomKey())
    }

    /// The policies of a new hub.
    func policies() -> [HubEmulator.AccessPolicy] {
        zip(HubEmulator.AccessPolicy.defaults(), [fullKey, listenKey]).map { policy, key in
            key.map { HubEmulator.AccessPolicy(name: policy.name, key: $0, rights: policy.rights) } ?? policy
        }
    }

    /// A secret that can stand in a connection string and in a header.
    private static func value(_ variable: String) throws(UsageError) -> String? {
        guard let bytes = Environment.bytes(of: variable), !bytes.isEmpty else { return nil }
        guard bytes.count <= 256, bytes.allSatisfy({ $0 > 0x20 && $0 < 0x7f && $0 != UInt8(ascii: ";") }) else {
            throw UsageError("\(variable) has 1 to 256 characters of ASCII, none of them a space or a semicolon")
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

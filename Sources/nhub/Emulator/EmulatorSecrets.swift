import HubCommandLine
import NotificationHubsEmulator

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

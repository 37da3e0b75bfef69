import HubCrypto
import HubText
import NotificationHubs

/// The names of everything that one run of `nhub verify` writes. All contain the run's random ID.
struct VerifyNames: Hashable, Sendable {
    /// The run's ID, which is also its tag.
    let run: String

    private static let prefix = "verify-"

    /// Creates the names of a new run.
    init() {
        run = Self.prefix + (0..<16).map { _ in String(Int.random(in: 0..<16), radix: 16) }.joined()
    }

    /// Creates the names of an earlier run; `nil` if the text is not the ID of a run.
    init?(run: String) {
        let digits = run.dropFirst(Self.prefix.count)
        guard run.hasPrefix(Self.prefix), digits.utf8.count == 16,
            digits.utf8.allSatisfy({ $0.isASCIIHexDigit })
        else { return nil }
        self.run = run
    }

    /// The tag of every device and every message.
    var tag: NotificationHub.Tag { Self.checked(run) }
    /// A tag that only some devices have.
    var secondTag: NotificationHub.Tag { Self.checked("\(run)-b") }
    /// The tag of the registrations, without the installations, whose patches can be pending.
    var registrationTag: NotificationHub.Tag { Self.checked("\(run)-r") }
    /// The user of the installations.
    var userID: Installation.UserID { Self.checked("\(run)-user") }

    /// The ID of a message that no hub has.
    static let unknownNotification: PushNotification.ID = checked(
        "NH-20200101000000000-00000000000000000000000000000000-00")

    /// Returns the ID of an installation.
    func installation(_ name: String) -> Installation.ID { Self.checked("\(run)-\(name)") }

    /// The handle of a platform, which is derived from the run's ID, so that the platform has not issued it.
    func channel(_ platform: PushPlatform, _ name: String = "") -> PushChannel {
        let digest = SHA256.hash(data: Array("\(run) \(platform) \(name)".utf8))
        let digits = digest.description
        switch platform {
        case .windows: return PushChannel(platform: platform, handle: "https://db5.notify.windows.com/?token=\(digits)")
        case .windowsPhone:
            return PushChannel(
                platform: platform, handle: "http://db3.notify.live.net/throttledthirdparty/01.00/\(digits)")
        case .baidu: return PushChannel(platform: platform, handle: "\(digits.prefix(18))-\(digits.suffix(18))")
        case .browser:
            return .browser(
                .init(
                    endpoint: "https://updates.push.services.mozilla.com/wpush/v2/\(digits)", p256dh: Self.publicKey,
                    auth: "\(digits.prefix(22))"))
        default: return PushChannel(platform: platform, handle: digits.uppercased())
        }
    }

    /// The parts of all handles.
    var handles: [String] {
        let names = ["tile", "moved", "put"] + VerifyStep.installationNames
        let others = [PushPlatform.apple, .windows].flatMap { platform in names.map { channel(platform, $0) } }
        return (PushPlatform.all.map { channel($0) } + others).flatMap(\.parts)
    }

    /// The base point of P-256 (SEC 2, §2.4.2), a valid public key, uncompressed and in Base64 for URLs.
    private static let publicKey =
        "BGsX0fLhLEJH-Lzm5WOkQPJ3A32BLeszoPShOUXYmMKWT-NC4v4af5uO5-tKfA-eFivOM1drMV7Oy7ZAaDe_UfU"

    private static func checked<Text: _HubCheckedText>(_ text: String) -> Text {
        do {
            return try Text(validating: text)
        } catch {
            preconditionFailure("invalid name of a run: \(error)")
        }
    }
}

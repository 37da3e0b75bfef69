import NotificationHubs

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A device that does not exist, with an id and a tag that nobody else has.
struct DemoDevice: Sendable {
    let id: Installation.ID
    let tag: NotificationHub.Tag
    let installation: Installation

    init() throws {
        id = try Installation.ID(validating: "demo-device-" + Self.randomDigits())
        tag = try NotificationHub.Tag(validating: "demo-tag-" + Self.randomDigits())
        let deviceToken = (0..<32).map { _ in UInt8.random(in: .min ... .max) }
        installation = Installation(
            id: id, pushChannel: .apple(deviceToken: deviceToken), tags: [tag],
            templates: ["alert": Installation.Template(body: #"{"aps":{"alert":"$(message)"}}"#)])
    }

    private static func randomDigits() -> String {
        String(UInt64.random(in: .min ... .max), radix: 16)
    }

    /// A message that nothing can know beforehand, with characters that JSON must escape.
    static func randomMessage() -> String {
        let dish = ["Soup", "Salad", "Pie", "Curry"].randomElement() ?? "Soup"
        let number = Int.random(in: 100_000...999_999)
        return "\(dish) for table \(number) is \"ready\" \\o/"
    }

    /// The text of a notification that APNs would show.
    static func alertText(in payload: String) throws -> String {
        struct Payload: Decodable {
            struct APS: Decodable {
                let alert: String
            }
            let aps: APS
        }
        return try JSONDecoder().decode(Payload.self, from: Data(payload.utf8)).aps.alert
    }
}

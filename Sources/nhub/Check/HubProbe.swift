import NotificationHubs

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Harmless requests, from whose answers can be told what a key may do.
struct HubProbe: Sendable {
    private let hub: NotificationHub
    /// An installation's id and a tag that nobody has.
    private let randomName: String

    init(_ hub: NotificationHub) {
        self.hub = hub
        randomName = "nhub-check-" + String(UInt64.random(in: .min ... .max), radix: 16)
    }

    /// Looks for an installation that there is not.
    func tokenAndListen() async throws -> (token: Finding, listen: Finding) {
        let allowed = Finding.yes("it may look for an installation")
        let unasked = Finding.unknown("nothing can be told without an accepted token")
        do {
            _ = try await hub.installationBody(Installation.ID(validating: randomName))
            return (.yes("the hub answered"), allowed)
        } catch let error as HubError {
            switch error.code {
            case .notFound where error.isAboutInstallation:
                return (.yes("the hub looked for a random installation, and has none (404)"), allowed)
            case .notFound:
                return (
                    .unknown(
                        "the answer is 404, but not that of a hub without such an installation: is its name right?"),
                    unasked
                )
            case .forbidden:
                return (
                    .yes("the hub knows the policy, and says that a right is missing (403)"),
                    .no("it may not look for an installation (403)")
                )
            case .unauthorized:
                return (TokenRefusal.finding(error), unasked)
            default:
                return (.unknown("\(error)"), unasked)
            }
        }
    }

    /// Sends a template message to a tag that nobody has. It may count as a push.
    func send() async throws -> Finding {
        let tag = try NotificationHub.Tag(validating: randomName)
        return try await finding("it may send a message") {
            _ = try await hub.send(.template(["message": "nhub check"]), to: .tag(tag))
        }
    }

    /// Lists the registrations of a tag that nobody has.
    func manage() async throws -> Finding {
        try await finding("it may list registrations by tag, which by the documentation this right alone allows") {
            let registrations = hub.registrations(.tag(try NotificationHub.Tag(validating: randomName)), pageSize: 1)
            for try await _ in registrations.pages { break }
        }
    }

    /// Makes a request with a token that the hub has accepted for another one.
    private func finding(_ meaning: String, _ request: () async throws -> Void) async throws -> Finding {
        do {
            try await request()
            return .yes(meaning)
        } catch let error as HubError {
            switch error.code {
            // The hub allowed the request; the body does not matter here.
            case .invalidResponse: return .yes(meaning)
            case .forbidden: return .no("the hub refuses it (403)")
            case .unauthorized: return .no("the hub refuses it (401), though it accepts the token for other requests")
            default: return .unknown("\(error)")
            }
        }
    }
}

extension HubError {
    /// Whether a 404 is the service's own, and not that for a hub that there is not.
    fileprivate var isAboutInstallation: Bool {
        serviceCode == 404 && !(detail ?? "").utf8.contains("is hosted at")
    }
}

extension Collection<UInt8> {
    fileprivate func contains(_ text: String) -> Bool {
        firstRange(of: Array(text.utf8)) != nil
    }
}

/// What a 401 means, and how to mend it.
enum TokenRefusal {
    /// What an answer with the status 401 says of the token.
    static func finding(_ error: HubError) -> Finding {
        if let detail = error.detail, detail.utf8.firstRange(of: Array("claim is required".utf8)) != nil {
            return .unknown(
                "the hub says that a right is missing (401), which it also says where the key is wrong: \(detail)")
        }
        return .no("\(explanation(error.serviceSubcode)) (401\(error.serviceSubcode.map { ", \($0)" } ?? ""))")
    }

    private static func explanation(_ serviceSubcode: Int?) -> String {
        switch serviceSubcode {
        case 40101?:
            "the connection is not encrypted, and the hub takes no other: the endpoint has to begin with sb:// or https://"
        case 40102?:
            "no token has arrived: something between here and the hub, such as a proxy, takes the header Authorization away"
        case 40103?: "the signature is not valid: \(wrongKey)"
        case 40104?:
            "the token is for something else: NOTIFICATION_HUB_NAME has to be the hub that the policy is of, and the "
                + "connection string's endpoint its namespace"
        case 40105?, 40107?, 40108?, 40109?, 40110?:
            "the token is malformed: if the connection string has a SharedAccessSignature, it is cut short; sas inspect tells"
        case 40106?:
            "the token has ended: this machine's clock says \(Date().formatted(.iso8601)), and has to be right; a token in the "
                + "connection string has to be replaced by a new one"
        default: "the hub does not say why: either \(wrongKey); or this machine's clock is wrong"
        }
    }

    private static let wrongKey =
        "the key is not that of the policy, or no longer, or the hub has no policy of this name; copy the connection string "
        + "anew from this hub's access policies"
}

import NotificationHubs

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Harmless requests whose responses show the rights of a key's policy.
struct HubProbe: Sendable {
    private let hub: NotificationHub
    /// A random installation ID and tag.
    private let randomName: String

    /// The reason for a right that was not tested because the token was not accepted.
    static let untested = "not tested: the token was not accepted"

    /// - Parameter name: A name that no installation and no tag has; `nil` for a random one.
    init(_ hub: NotificationHub, name: String? = nil) {
        self.hub = hub
        randomName = name ?? "nhub-check-" + String(UInt64.random(in: .min ... .max), radix: 16)
    }

    /// Looks up an installation that does not exist.
    func tokenAndListen() async throws -> (token: Finding, listen: Finding) {
        let allowed = Finding.yes("the policy allows reading installations")
        let untested = Finding.unknown(Self.untested)
        do {
            _ = try await hub.installationBody(Installation.ID(validating: randomName))
            return (.yes("the hub responded"), allowed)
        } catch let error as HubError {
            switch error.code {
            case .notFound where !error.isMissingHub:
                return (.yes("the hub reported that a random installation does not exist (404)"), allowed)
            case .notFound:
                return (
                    .unknown("unexpected 404 response: check the namespace and NOTIFICATION_HUB_NAME"), untested
                )
            case .forbidden:
                return (
                    .yes("the hub recognized the policy and reported a missing right (403)"),
                    .no("the policy does not allow reading installations (403)")
                )
            case .unauthorized:
                return (TokenRejection.finding(error), untested)
            default:
                return (.unknown("\(HubFailure(error))"), untested)
            }
        }
    }

    /// Sends a template message to a tag that no device has. The message may count as a push.
    func send() async throws -> Finding {
        let tag = try NotificationHub.Tag(validating: randomName)
        return try await finding("the policy allows sending messages") {
            _ = try await hub.send(.template(["message": "nhub check"]), to: .tag(tag))
        }
    }

    /// Lists the registrations of a tag that no device has.
    func manage() async throws -> Finding {
        try await finding("the policy allows listing registrations by tag, which requires this right") {
            let registrations = hub.registrations(.tag(try NotificationHub.Tag(validating: randomName)), pageSize: 1)
            for try await _ in registrations.pages { break }
        }
    }

    /// Sends a request with a token that the hub accepted for an earlier request.
    ///
    /// - Parameter reason: The reason to report when the hub allows the request.
    private func finding(_ reason: String, _ request: () async throws -> Void) async throws -> Finding {
        do {
            try await request()
            return .yes(reason)
        } catch let error as HubError {
            switch error.code {
            // The hub allowed the request, even if the response body is invalid.
            case .invalidResponse: return .yes(reason)
            case .forbidden: return .no("the hub rejected the request (403)")
            case .unauthorized:
                return .no("the hub rejected the request (401), but accepted the token for another request")
            default: return .unknown("\(HubFailure(error))")
            }
        }
    }
}

/// Explanations of 401 responses, with remedies.
enum TokenRejection {
    /// Returns the finding about the token for a response with status 401.
    static func finding(_ error: HubError) -> Finding {
        if let detail = error.detail, detail.utf8.firstRange(of: Array("claim is required".utf8)) != nil {
            return .unknown(
                "the hub reported a missing right (401), which can also mean that the key is wrong: \(detail)")
        }
        return .no("\(explanation(error.serviceSubcode)) (401\(error.serviceSubcode.map { ", \($0)" } ?? ""))")
    }

    private static func explanation(_ serviceSubcode: Int?) -> String {
        switch serviceSubcode {
        case 40101?:
            "the hub accepts only encrypted connections: the endpoint must begin with sb:// or https://"
        case 40102?:
            "the hub received no token: check whether a proxy removes the Authorization header"
        case 40103?: "invalid signature: \(checkKey)"
        case 40104?:
            "the token is for another resource: check that NOTIFICATION_HUB_NAME is the policy's hub and that the "
                + "connection string's endpoint is its namespace"
        case 40105?, 40107?, 40108?, 40109?, 40110?:
            "malformed token: if the connection string contains a SharedAccessSignature, check it with sas inspect"
        case 40106?:
            "the token has expired: check this machine's clock, which shows \(Date().formatted(.iso8601)), or replace the "
                + "token in the connection string"
        default: "the response omits the reason: \(checkKey), or correct this machine's clock"
        }
    }

    private static let checkKey =
        "check that the hub has the policy and that the key is current, or copy the connection string again from the hub's "
        + "access policies"
}

import NotificationHubs
import SharedAccessSignature

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

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

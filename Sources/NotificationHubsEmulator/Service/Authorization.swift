import NotificationHubs
import SharedAccessSignature

/// Checks a request's token against a hub's access policies, and answers as the service does.
struct Authorization: Sendable {
    private let policies: [AccessPolicy]
    private let verifier: SASVerifier

    init(_ policies: [AccessPolicy]) {
        self.policies = policies
        verifier = SASVerifier(keys: policies.map { SharedAccessKey(name: $0.name, secret: $0.key) })
    }

    /// - Parameter right: what the request needs.
    /// - Returns: the response of refusal, or `nil` if the request may go on.
    func refusal(_ request: HubRequest, needs right: AccessPolicy.Right, now: Int64) -> HubResponse? {
        guard let header = request.headers["Authorization"] else {
            return ServiceResponse.error(status: 401, "40102: Missing authorization token")
        }
        guard let token = try? SASToken(header) else {
            return ServiceResponse.error(status: 401, "40105: Malformed authorization token")
        }
        guard let resource = try? SASResource("\(request.endpoint)\(request.path)") else {
            return ServiceResponse.error(status: 401, Self.text(.outOfScope))
        }
        let claims: SASClaims
        do {
            claims = try verifier.verify(token, for: resource, now: now)
        } catch {
            return ServiceResponse.error(status: 401, Self.text(error.reasons[0]))
        }
        let isAllowed = policies.contains {
            $0.name.utf8.elementsEqual(claims.keyName.utf8) && $0.rights.contains(right)
        }
        return isAllowed ? nil : ServiceResponse.empty(status: 403)
    }

    private static func text(_ reason: SASVerifier.Refusal.Reason) -> String {
        switch reason {
        case .unknownKey, .invalidSignature: "40103: Invalid authorization token signature"
        case .expired, .lifetimeTooLong: "40106: Expired authorization token"
        case .outOfScope: "40104: Invalid authorization token audience"
        }
    }
}

import HubText

package import NotificationHubs
import SharedAccessSignature

/// The authorization of requests by a hub's access policies. It reports errors as the service does.
package struct Authorization: Sendable {
    private let policies: [HubEmulator.AccessPolicy]
    private let verifier: SASVerifier

    package init(_ policies: [HubEmulator.AccessPolicy]) {
        self.policies = policies
        verifier = SASVerifier(
            keys: policies.flatMap { policy in
                [policy.key, policy.secondaryKey].compactMap { key in
                    key.map { SharedAccessKey(name: policy.name, secret: $0) }
                }
            },
            // The .NET SDK signs without the port, azure-sb always with port 443.
            ignoringPort: true)
    }

    /// Checks that a request's token is valid and grants a right.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - right: The right that the request requires.
    ///   - now: The time in seconds since 1970 UTC.
    package func check(_ request: HubRequest, needs right: HubEmulator.AccessPolicy.Right, now: Int64)
        throws(ServiceError)
    {
        guard let header = request.headers["Authorization"] else { throw Self.error(.missingToken) }
        let claims: SASClaims
        do throws(SASTokenError) {
            let token = try SASToken(header)
            guard let resource = try? SASResource("\(request.endpoint)\(request.path)") else {
                throw SASTokenError(.outOfScope)
            }
            claims = try verifier.verify(token, for: resource, now: now)
        } catch {
            throw Self.error(SubCode(error))
        }
        let keyName = claims.keyName
        let isAllowed = policies.contains {
            $0.name.hasSameBytes(as: keyName) && $0.rights.contains(right)
        }
        guard isAllowed else { throw .missingRight }
    }

    private static func error(_ code: SubCode) -> ServiceError {
        ServiceError(401, "\(code.rawValue): \(code.text)")
    }

    /// The service's subcodes for token errors, with its texts where they are known.
    enum SubCode: Int {
        case missingToken = 40102
        case invalidSignature = 40103
        case invalidAudience = 40104
        case malformed = 40105
        case expired = 40106
        case audienceMissing = 40107
        case expiryMissing = 40108
        case issuerMissing = 40109
        case signatureMissing = 40110

        init(_ error: SASTokenError) {
            switch (error.code, error.field) {
            case (.unknownKey, _), (.invalidSignature, _): self = .invalidSignature
            case (.expired, _), (.lifetimeTooLong, _): self = .expired
            case (.outOfScope, _): self = .invalidAudience
            case (.missingField, "sr"): self = .audienceMissing
            case (.missingField, "se"): self = .expiryMissing
            case (.missingField, "skn"): self = .issuerMissing
            case (.missingField, "sig"): self = .signatureMissing
            default: self = .malformed
            }
        }

        var text: String {
            switch self {
            case .missingToken: "Missing authorization token"
            case .invalidSignature: "Invalid authorization token signature"
            case .invalidAudience: "Invalid authorization token audience"
            case .malformed: "Malformed authorization token"
            case .expired: "Expired authorization token"
            case .audienceMissing: "Missing audience in authorization token"
            case .expiryMissing: "Missing expiry in authorization token"
            case .issuerMissing: "Missing issuer in authorization token"
            case .signatureMissing: "Missing signature in authorization token"
            }
        }
    }
}

extension ServiceError {
    /// Whether the error is that of a token with an invalid signature.
    package var isInvalidSignature: Bool { detail.hasPrefix("\(Authorization.SubCode.invalidSignature.rawValue):") }
}

import HubText

extension AppBackend {
    /// Authenticates users by a token that a closure reads (bearer tokens, RFC 6750), such as a JSON Web Token.
    ///
    /// ```swift
    /// AppBackend.BearerAuthenticator { token in
    ///     try? await keys.verify(token, as: Session.self).subject.value
    /// }
    /// ```
    public struct BearerAuthenticator: Authenticator {
        private let challenge: String
        private let user: @Sendable (_ token: String) async throws -> String?

        /// An authenticator by a reader of tokens.
        ///
        /// - Parameters:
        ///   - realm: what the tokens are for, in printable ASCII without quotes and backslashes.
        ///   - user: is given a token, and returns the user's name, or `nil` if the token is none, or has expired. If it throws,
        ///     the request is answered with 503.
        public init(realm: String = "app", user: @escaping @Sendable (_ token: String) async throws -> String?) {
            challenge = "Bearer realm=\(AuthorizationHeader.quoted(realm))"
            self.user = user
        }

        /// Who sends a request.
        public func authenticate(_ authorization: String?) async throws -> Authentication {
            guard let token = AuthorizationHeader.credentials(authorization, scheme: "Bearer") else {
                return .refused(challenge: challenge)
            }
            // b64token of RFC 6750 §2.1.
            let isToken = token.allSatisfy { $0.isASCIILetterOrDigit || "-._~+/=".utf8.contains($0) }
            guard isToken, !token.isEmpty, let user = try await user(String(decoding: token, as: UTF8.self)) else {
                return .refused(challenge: challenge + ", error=\"invalid_token\"")
            }
            return .user(User(name: user))
        }
    }
}

extension AppBackend.BearerAuthenticator: CustomStringConvertible, CustomReflectable {
    /// The challenge.
    public var description: String { "BearerAuthenticator(\(challenge))" }

    /// The challenge; not what the closure holds.
    public var customMirror: Mirror { Mirror(self, children: ["challenge": challenge]) }
}

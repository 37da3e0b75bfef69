import HubText
import NotificationHubs

#if canImport(FoundationEssentials)
import struct FoundationEssentials.Data
#else
import struct Foundation.Data
#endif

extension AppBackend {
    /// Authenticates users by name and password (HTTP Basic, RFC 7617), as the samples' apps do. Only for TLS: the password stands
    /// in every request.
    ///
    /// ```swift
    /// AppBackend.BasicAuthenticator { name, password in
    ///     await accounts.find(name, password)?.name
    /// }
    /// ```
    ///
    /// How passwords are kept and compared, and how often one may be tried, is the closure's part.
    public struct BasicAuthenticator: Authenticator {
        private let challenge: String
        private let check: @Sendable (_ name: String, _ password: String) async throws -> String?

        /// An authenticator by a check of the caller's.
        ///
        /// - Parameters:
        ///   - realm: what the credentials are for, in printable ASCII without quotes and backslashes.
        ///   - check: is given a name and a password, and returns the user's name as the account has it, or `nil` if they do not
        ///     match. The name has no colon and neither has a control character. If it throws, the request is answered with 503.
        public init(
            realm: String = "app",
            check: @escaping @Sendable (_ name: String, _ password: String) async throws -> String?
        ) {
            challenge = "Basic realm=\(AuthorizationHeader.quoted(realm)), charset=\"UTF-8\""
            self.check = check
        }

        /// Who sends a request.
        public func authenticate(_ authorization: String?) async throws -> Authentication {
            guard let (name, password) = Self.credentials(authorization), let user = try await check(name, password)
            else {
                return .refused(challenge: challenge)
            }
            return .user(User(name: user))
        }

        /// Name and password: base64 of UTF-8, a colon between them, the first one.
        private static func credentials(_ authorization: String?) -> (name: String, password: String)? {
            guard let base64 = AuthorizationHeader.credentials(authorization, scheme: "Basic"),
                let decoded = Data(base64Encoded: Data(base64)).map(Array.init),
                let colon = decoded.firstIndex(of: UInt8(ascii: ":")),
                let name = String(strictUTF8: decoded[..<colon]),
                let password = String(strictUTF8: decoded[(colon + 1)...]),
                !(name + password).unicodeScalars.contains(where: { $0.properties.generalCategory == .control })
            else { return nil }
            return (name, password)
        }
    }
}

extension AppBackend.BasicAuthenticator: CustomStringConvertible, CustomReflectable {
    /// The challenge.
    public var description: String { "BasicAuthenticator(\(challenge))" }

    /// The challenge; not what the closure holds.
    public var customMirror: Mirror { Mirror(self, children: ["challenge": challenge]) }
}

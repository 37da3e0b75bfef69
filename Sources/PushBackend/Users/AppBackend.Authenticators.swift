import HubText

#if canImport(FoundationEssentials)
import struct FoundationEssentials.Data
#else
import struct Foundation.Data
#endif

extension AppBackend {
    /// What finds out who sends a request.
    ///
    /// ``BasicAuthenticator`` and ``BearerAuthenticator`` do for most; a conformance of your own can read any other kind of
    /// credentials.
    public protocol Authenticator: Sendable {
        /// Finds out who sends a request.
        ///
        /// - Parameter authorization: what the request has as header `Authorization`; `nil` if it has none.
        /// - Throws: any error if it cannot be found out now. The request is answered with 503, and the error told to
        ///   ``Options/observer`` alone.
        func authenticate(_ authorization: String?) async throws -> Authentication
    }

    /// The result of an ``Authenticator``.
    #if hasAttribute(nonexhaustive)
    @nonexhaustive
    #endif
    public enum Authentication: Sendable {
        /// The request is this user's.
        case user(User)
        /// The credentials are missing, malformed, wrong or expired. The challenge is what the response says in
        /// `WWW-Authenticate`, such as `Basic realm="app"`.
        case refused(challenge: String)
    }
}

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

/// The value of an `Authorization` header (RFC 9110 §11.6.2).
enum AuthorizationHeader {
    /// The longest value that is looked at, in bytes.
    private static let maximumByteCount = 16 * 1024

    /// - Returns: what follows the scheme, which may be in any case; `nil` if it is another scheme, or none.
    static func credentials(_ value: String?, scheme: String) -> [UInt8]? {
        guard let bytes = value.map({ Array($0.utf8) }), bytes.count <= maximumByteCount,
            bytes.starts(ignoringCase: scheme + " ")
        else { return nil }
        return Array(bytes[scheme.utf8.count...].drop { $0 == 0x20 })
    }

    /// A realm between quotes.
    static func quoted(_ realm: String) -> String {
        precondition(
            realm.utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7f && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") },
            "a realm is printable ASCII without quotes and backslashes")
        return "\"\(realm)\""
    }
}

import HubText

#if canImport(FoundationEssentials)
import struct FoundationEssentials.Data
#else
import struct Foundation.Data
#endif

extension AppBackend {
    /// A type that authenticates the users of requests.
    ///
    /// Use ``BasicAuthenticator`` or ``BearerAuthenticator``, or write a conforming type for other kinds of credentials.
    public protocol Authenticator: Sendable {
        /// Authenticates the user of a request.
        ///
        /// - Parameter authorization: The value of the request's `Authorization` header; `nil` if the header is missing.
        /// - Throws: Any error if the user cannot be authenticated now. The response is 503, and the error is passed only to
        ///   ``Options/observer``.
        func authenticate(_ authorization: String?) async throws -> Authentication
    }

    /// The result of an ``Authenticator``.
    #if hasAttribute(nonexhaustive)
    @nonexhaustive
    #endif
    public enum Authentication: Sendable {
        /// The credentials are valid and belong to this user.
        case user(User)
        /// The credentials are missing, invalid or expired. The challenge is the value of the response's `WWW-Authenticate`
        /// header, such as `Basic realm="app"`.
        case refused(challenge: String)
    }
}

extension AppBackend {
    /// An authenticator for names and passwords (HTTP Basic, RFC 7617), which the samples' apps use.
    ///
    /// Use it only over TLS: every request contains the password.
    ///
    /// ```swift
    /// AppBackend.BasicAuthenticator { name, password in
    ///     await accounts.find(name, password)?.name
    /// }
    /// ```
    ///
    /// The closure is responsible for comparing password hashes and for limiting attempts.
    public struct BasicAuthenticator: Authenticator {
        private let challenge: String
        private let check: @Sendable (_ name: String, _ password: String) async throws -> String?

        /// Creates an authenticator from a closure that checks passwords.
        ///
        /// - Parameters:
        ///   - realm: The realm of the challenge, in printable ASCII without quotes and backslashes.
        ///   - check: A closure that checks a name and a password, and returns the user's name as in the account, or `nil` if they
        ///     do not match. The given name contains no colon, and name and password contain no control characters. If it throws,
        ///     the response is 503.
        public init(
            realm: String = "app",
            check: @escaping @Sendable (_ name: String, _ password: String) async throws -> String?
        ) {
            challenge = "Basic realm=\(AuthorizationHeader.quoted(realm)), charset=\"UTF-8\""
            self.check = check
        }

        /// Authenticates the user of a request.
        public func authenticate(_ authorization: String?) async throws -> Authentication {
            guard let (name, password) = Self.credentials(authorization), let user = try await check(name, password)
            else {
                return .refused(challenge: challenge)
            }
            return .user(User(name: user))
        }

        /// Decodes Base64 of `NAME:PASSWORD` in UTF-8, split at the first colon.
        private static func credentials(_ authorization: String?) -> (name: String, password: String)? {
            guard let base64 = AuthorizationHeader.credentials(authorization, scheme: "Basic"),
                let decoded = Data(base64Encoded: Data(base64)).map(Array.init),
                let colon = decoded.firstIndex(of: UInt8(ascii: ":")),
                let name = String(strictUTF8: decoded[..<colon]),
                let password = String(strictUTF8: decoded[(colon + 1)...]),
                !(name + password).unicodeScalars.contains(where: \.isControl)
            else { return nil }
            return (name, password)
        }
    }
}

extension AppBackend.BasicAuthenticator: CustomStringConvertible, CustomReflectable {
    /// The challenge.
    public var description: String { "BasicAuthenticator(\(challenge))" }

    /// The challenge, without the closure.
    public var customMirror: Mirror { Mirror(self, children: ["challenge": challenge]) }
}

extension AppBackend {
    /// An authenticator for bearer tokens (RFC 6750), such as JSON Web Tokens.
    ///
    /// ```swift
    /// AppBackend.BearerAuthenticator { token in
    ///     try? await keys.verify(token, as: Session.self).subject.value
    /// }
    /// ```
    public struct BearerAuthenticator: Authenticator {
        private let challenge: String
        private let user: @Sendable (_ token: String) async throws -> String?

        /// Creates an authenticator from a closure that verifies tokens.
        ///
        /// - Parameters:
        ///   - realm: The realm of the challenge, in printable ASCII without quotes and backslashes.
        ///   - user: A closure that verifies a token, and returns the user's name, or `nil` if the token is invalid or expired. If
        ///     it throws, the response is 503.
        public init(realm: String = "app", user: @escaping @Sendable (_ token: String) async throws -> String?) {
            challenge = "Bearer realm=\(AuthorizationHeader.quoted(realm))"
            self.user = user
        }

        /// Authenticates the user of a request.
        public func authenticate(_ authorization: String?) async throws -> Authentication {
            guard let token = AuthorizationHeader.credentials(authorization, scheme: "Bearer") else {
                return .refused(challenge: challenge)
            }
            // b64token (RFC 6750 §2.1).
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

    /// The challenge, without the closure.
    public var customMirror: Mirror { Mirror(self, children: ["challenge": challenge]) }
}

/// Parsing of the `Authorization` header (RFC 9110 §11.6.2).
enum AuthorizationHeader {
    /// The longest header value that is parsed, in bytes.
    private static let maximumByteCount = 16 * 1024

    /// Returns the credentials after a scheme, or `nil` if the header is missing or has another scheme. The case of the scheme is
    /// ignored.
    static func credentials(_ value: String?, scheme: String) -> [UInt8]? {
        guard let bytes = value.map({ Array($0.utf8) }), bytes.count <= maximumByteCount,
            bytes.starts(ignoringCase: scheme + " ")
        else { return nil }
        return Array(bytes[scheme.utf8.count...].drop { $0 == 0x20 })
    }

    /// Returns a realm in quotes.
    static func quoted(_ realm: String) -> String {
        precondition(
            realm.utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7f && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") },
            "realm must be printable ASCII without quotes and backslashes")
        return "\"\(realm)\""
    }
}

import HubText

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

    /// What an ``Authenticator`` has found out.
    public enum Authentication: Sendable {
        /// The request is this user's.
        case user(User)
        /// The credentials are missing, malformed, wrong or expired. The challenge is what the response says in
        /// `WWW-Authenticate`, such as `Basic realm="app"`.
        case refused(challenge: String)
    }
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

import HubText
import NotificationHubs
package import SharedAccessSignature

#if canImport(FoundationEssentials)
private import struct FoundationEssentials.Data
#else
private import struct Foundation.Data
#endif

extension DeviceRegistrar {
    /// The address of an app backend: scheme, host, port, and the path that precedes `/api`.
    public struct Address: Hashable, Sendable {
        package let endpoint: ServiceEndpoint
        /// The path that precedes `/api`, without a trailing slash; usually empty.
        let path: String

        /// Parses an address such as `https://push.contoso.com` or `https://contoso.com/push`.
        ///
        /// By default, `http://` is accepted only for this machine (`localhost`, `127.0.0.0/8`, `[::1]`), because every
        /// request carries the user's credential.
        ///
        /// - Parameters:
        ///   - url: The address.
        ///   - allowingPlainHTTP: Whether to accept `http://` for any host, such as in a test network.
        /// - Throws: ``DeviceRegistrationError`` with the code `invalidInput`.
        public init(_ url: some StringProtocol, allowingPlainHTTP: Bool = false) throws(DeviceRegistrationError) {
            let url = String(url)
            let isPlain = url.utf8.starts(ignoringCase: "http://")
            guard isPlain || url.utf8.starts(ignoringCase: "https://") else {
                throw .invalid("invalid address: must begin with https://, as in https://push.contoso.com")
            }
            let authorityEnd =
                url.utf8.dropFirst(isPlain ? 7 : 8).firstIndex(of: UInt8(ascii: "/")) ?? url.endIndex
            do {
                endpoint = try ServiceEndpoint(url[..<authorityEnd], isDevelopmentEmulator: isPlain)
            } catch {
                throw .invalid(error.description)
            }
            guard !isPlain || allowingPlainHTTP || endpoint.isLoopback else {
                throw .invalid(
                    "invalid address: http:// would send the user's credential unencrypted; use https:// or allowingPlainHTTP"
                )
            }
            var path = url[authorityEnd...]
            while path.hasSuffix("/") { path.removeLast() }
            guard path.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f && !"?#\\".utf8.contains($0) }),
                String(path).hasNoDotSegments
            else {
                throw .invalid(
                    "invalid address: the path must be percent-encoded, without . and .. segments, and without a query"
                )
            }
            self.path = String(path)
        }
    }

    /// The credential that authenticates a user to the backend. Descriptions are redacted.
    public struct Credential: Sendable {
        /// The value of the `Authorization` header.
        let headerValue: String

        /// Returns a credential from a name and a password (HTTP Basic, RFC 7617, in UTF-8).
        ///
        /// - Throws: ``DeviceRegistrationError`` with the code `invalidInput` if the name contains a colon, or if the name or the
        ///   password contains a control character.
        public static func basic(name: String, password: String) throws(DeviceRegistrationError) -> Credential {
            if name.utf8.contains(UInt8(ascii: ":")) {
                throw .invalid("invalid name: must not contain a colon")
            }
            if (name + password).utf8.contains(where: { $0 < 0x20 || $0 == 0x7f }) {
                throw .invalid("invalid name or password: must not contain control characters")
            }
            let text = Data("\(name):\(password)".utf8).base64EncodedString()
            return Credential(headerValue: "Basic \(text)")
        }

        /// Returns a credential from a bearer token (RFC 6750).
        ///
        /// - Throws: ``DeviceRegistrationError`` with the code `invalidInput` if the token is empty, or contains characters other
        ///   than letters, digits and `- . _ ~ + / =`.
        public static func bearer(_ token: String) throws(DeviceRegistrationError) -> Credential {
            let symbols = Array("-._~+/=".utf8)
            guard !token.isEmpty, token.utf8.allSatisfy({ $0.isASCIILetterOrDigit || symbols.contains($0) }) else {
                throw .invalid("invalid bearer token: must contain only letters, digits and - . _ ~ + / =")
            }
            return Credential(headerValue: "Bearer \(token)")
        }
    }
}

extension DeviceRegistrar.Address: CustomStringConvertible {
    /// The address as a URL.
    public var description: String { "\(endpoint)\(path)" }
}

extension DeviceRegistrar.Credential: CustomStringConvertible, CustomReflectable {
    /// A fixed string that does not contain the credential.
    public var description: String { "Credential(redacted)" }
    /// A mirror without members.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// A client of the app backend.
struct Backend: Sendable {
    let address: DeviceRegistrar.Address
    let transport: any HubTransport
    let credential: @Sendable () async throws -> DeviceRegistrar.Credential?
    let timeout: Duration

    /// Sends a request with the user's credential.
    ///
    /// - Parameters:
    ///   - path: The path after `/api/`.
    ///   - query: The query, percent-encoded.
    ///   - body: The body's JSON object; `nil` for no body.
    /// - Returns: The body of a response with a status from 200 to 299.
    /// - Throws: ``DeviceRegistrationError``, `CancellationError`, and errors of the `credential` closure.
    func send(
        _ method: HubRequest.Method, _ path: String, query: String = "", body: JSONObject? = nil
    ) async throws -> [UInt8] {
        guard let credential = try await credential() else {
            throw DeviceRegistrationError(.needsAuthentication, detail: "no user is signed in")
        }
        var request = HubRequest(
            method, endpoint: address.endpoint, path: "\(address.path)/api/\(path)", query: query,
            headers: ["Authorization": credential.headerValue])
        if let body {
            request.headers["Content-Type"] = "application/json; charset=utf-8"
            request.body = JSONValue.object(body).bytes
        }
        let response: HubResponse
        do {
            response = try await transport.send(request, timeout: timeout)
        } catch let error as HubTransportError {
            throw DeviceRegistrationError(
                error.delivery == .notSent ? .connectionFailed : .mayHaveBeenDone, detail: error.description)
        } catch is CancellationError {
            throw CancellationError()
        } catch {
            // The error's description may contain the request.
            throw DeviceRegistrationError(.mayHaveBeenDone, detail: "the transport failed with \(type(of: error))")
        }
        guard (200...299).contains(response.status) else { throw DeviceRegistrationError(status: response.status) }
        return response.body
    }
}

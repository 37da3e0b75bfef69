import HubText

/// The endpoint of a namespace: scheme, host and port.
///
/// Connection strings use the scheme `sb`, as in `sb://contoso.servicebus.windows.net/`; requests use HTTPS. Any domain is
/// accepted, because sovereign clouds and test environments have their own.
public struct ServiceEndpoint: Hashable, Sendable {
    /// Whether requests use plain HTTP, because the endpoint is a development emulator or an `http://` URL of a loopback host.
    public let isDevelopmentEmulator: Bool
    /// The host name or IP address, in lower case. IPv6 addresses are in brackets.
    public let host: String
    /// The port; `nil` for the scheme's default port.
    public let port: UInt16?

    /// Creates the endpoint of a namespace in the public cloud, `https://NAMESPACE.servicebus.windows.net`.
    ///
    /// - Parameter namespace: The namespace's name: letters, digits and hyphens, not starting with a hyphen.
    /// - Throws: ``ConnectionStringError`` if `namespace` is invalid.
    public init(namespace: String) throws(ConnectionStringError) {
        guard let first = namespace.utf8.first, first != UInt8(ascii: "-"),
            namespace.utf8.allSatisfy({ $0.isASCIILetterOrDigit || $0 == UInt8(ascii: "-") })
        else {
            throw ConnectionStringError(
                .invalidEndpoint, "invalid namespace: expected letters, digits and hyphens, such as \"contoso\"")
        }
        self.init(host: namespace.lowercased() + ".servicebus.windows.net", port: nil, isDevelopmentEmulator: false)
    }

    /// Parses an endpoint such as `sb://contoso.servicebus.windows.net/` or `https://host:8443`.
    ///
    /// - Parameters:
    ///   - text: The URL. Its scheme must be `sb`, `https` or `http`, and its path empty or `/`.
    ///   - isDevelopmentEmulator: Whether the endpoint is a development emulator, which uses plain HTTP.
    /// - Throws: ``ConnectionStringError`` if `text` is invalid, or if it is an `http` URL whose host is neither an emulator
    ///   nor a loopback host (`localhost`, `127.0.0.0/8`, `[::1]`).
    public init(_ text: some StringProtocol, isDevelopmentEmulator: Bool = false) throws(ConnectionStringError) {
        guard text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f }) else {
            throw ConnectionStringError(.invalidEndpoint, "an endpoint must be ASCII without whitespace")
        }
        let text = text.lowercased()
        guard let scheme = ["sb://", "https://", "http://"].first(where: text.hasPrefix) else {
            throw ConnectionStringError(
                .invalidEndpoint,
                "an endpoint must start with sb://, https://, or http:// for a loopback host or an emulator")
        }
        var authority = text.dropFirst(scheme.count)
        if authority.hasSuffix("/") { authority.removeLast() }

        var portText: Substring?
        if let colon = authority.lastIndex(of: ":"), !authority[colon...].contains("]") {
            portText = authority[authority.index(after: colon)...]
            authority = authority[..<colon]
        }
        let port = try portText.map { (digits: Substring) throws(ConnectionStringError) -> UInt16 in
            guard let port = UInt16(digits), port > 0, !digits.hasPrefix("+") else {
                throw ConnectionStringError(.invalidEndpoint, "a port must be a number from 1 to 65535")
            }
            return port
        }
        guard Self.isHost(authority) else {
            throw ConnectionStringError(.invalidEndpoint, "expected a host and optionally a port after the scheme")
        }
        let isPlain = isDevelopmentEmulator || scheme == "http://"
        self.init(
            host: String(authority), port: port == (isPlain ? 80 : 443) ? nil : port, isDevelopmentEmulator: isPlain)
        guard isDevelopmentEmulator || !isPlain || isLoopback else {
            throw ConnectionStringError(
                .invalidEndpoint,
                "plain HTTP exposes the token: use https://, or UseDevelopmentEmulator=true for an emulator")
        }
    }

    private init(host: String, port: UInt16?, isDevelopmentEmulator: Bool) {
        self.host = host
        self.port = port
        self.isDevelopmentEmulator = isDevelopmentEmulator
    }

    /// The scheme of requests: `https`, or `http` if ``isDevelopmentEmulator`` is true.
    public var scheme: String { isDevelopmentEmulator ? "http" : "https" }

    /// The host and the non-default port, as in a `Host` header.
    public var authority: String {
        port.map { "\(host):\($0)" } ?? host
    }

    /// Whether the host is an IPv4 address.
    private var isIPv4Address: Bool {
        let numbers = host.split(separator: ".", omittingEmptySubsequences: false)
        return numbers.count == 4 && numbers.allSatisfy { UInt8($0) != nil }
    }

    /// Whether the host is a loopback host.
    package var isLoopback: Bool {
        host == "localhost" || host == "[::1]" || host.hasPrefix("127.") && isIPv4Address
    }

    /// Returns whether a string is a host name or IPv4 address of letters, digits, hyphens and periods, or an IPv6
    /// address in brackets.
    private static func isHost(_ text: Substring) -> Bool {
        if text.hasPrefix("["), text.hasSuffix("]") {
            return text.utf8.count > 2
                && text.utf8.dropFirst().dropLast().allSatisfy {
                    $0.isASCIIHexDigit || $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: ".")
                }
        }
        return !text.isEmpty && !text.hasPrefix(".")
            && text.utf8.allSatisfy {
                $0.isASCIILetterOrDigit || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: ".")
            }
    }
}

extension ServiceEndpoint {
    /// Returns the URL that a hub's tokens sign: `https://HOST/HUB` in lower case, without a port.
    ///
    /// A hub's name has 1 to 260 ASCII letters, digits and characters of `.-_`, and does not consist only of periods.
    ///
    /// - Throws: ``ConnectionStringError`` with ``ConnectionStringError/Code/invalidHubName`` if the name is invalid.
    public func hubResource(named hubName: String) throws(ConnectionStringError) -> String {
        if let problem = HubName.problem(in: hubName) {
            throw ConnectionStringError(.invalidHubName, problem.reason, offset: problem.offset)
        }
        return "https://\(host)/\(hubName.lowercased())"
    }
}

/// The validation of hub names.
package enum HubName {
    /// Returns the problem of a name and the offset of its first invalid byte; `nil` for a valid name.
    package static func problem(in name: String) -> (reason: String, offset: Int?)? {
        let marks = ".-_"
        if name.isEmpty { return ("a hub's name must not be empty", nil) }
        if name.utf8.count > 260 { return ("a hub's name must have at most 260 characters", nil) }
        if name.utf8.allSatisfy({ $0 == UInt8(ascii: ".") }) {
            return ("a hub's name must not consist only of '.'", nil)
        }
        let invalid = name.utf8.enumerated().first { !$1.isASCIILetterOrDigit && !marks.utf8.contains($1) }
        guard let offset = invalid?.offset else { return nil }
        return ("invalid character in a hub's name at byte \(offset) (allowed: letters, digits and . - _)", offset)
    }
}

extension ServiceEndpoint: CustomStringConvertible {
    /// The endpoint as a URL, such as `https://contoso.servicebus.windows.net`.
    public var description: String { "\(scheme)://\(authority)" }
}

import HubText

/// Where a namespace of the service answers: scheme, host and port.
///
/// Connection strings name it `sb://contoso.servicebus.windows.net/`; requests go there by HTTPS. Hosts are kept as
/// they are given, in lower case, with any suffix: sovereign clouds and test rings have their own.
public struct ServiceEndpoint: Hashable, Sendable {
    /// Whether the endpoint is a development emulator, or this machine by `http://`: requests go there by plain HTTP.
    public let isDevelopmentEmulator: Bool
    /// The host's name or address in lower case.
    public let host: String
    /// The port, if it is not the scheme's own.
    public let port: UInt16?

    /// The endpoint of a namespace in the public cloud: `https://NAMESPACE.servicebus.windows.net`.
    ///
    /// - Parameter namespace: letters, digits and hyphens.
    /// - Throws: ``ConnectionStringError`` if `namespace` has any other character.
    public init(namespace: String) throws(ConnectionStringError) {
        guard let first = namespace.utf8.first, first != UInt8(ascii: "-"),
            namespace.utf8.allSatisfy({ $0.isASCIILetterOrDigit || $0 == UInt8(ascii: "-") })
        else {
            throw ConnectionStringError(
                .invalidEndpoint, "invalid namespace: expected letters, digits and hyphens, such as \"contoso\"")
        }
        self.init(host: namespace.lowercased() + ".servicebus.windows.net", port: nil, isDevelopmentEmulator: false)
    }

    /// Reads an endpoint such as `sb://contoso.servicebus.windows.net/` or `https://host:8443`.
    ///
    /// - Parameters:
    ///   - text: the URL; its scheme is `sb`, `https` or `http`, and a path other than `/` is refused.
    ///   - isDevelopmentEmulator: whether an emulator listens there, by plain HTTP.
    /// - Throws: ``ConnectionStringError`` if `text` is not such a URL, or asks for plain HTTP from anything but an emulator or this machine
    ///   (`localhost`, `127.0.0.1`, `[::1]`).
    public init(_ text: some StringProtocol, isDevelopmentEmulator: Bool = false) throws(ConnectionStringError) {
        guard text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f }) else {
            throw ConnectionStringError(.invalidEndpoint, "an endpoint must be ASCII without white space")
        }
        let text = text.lowercased()
        guard let scheme = ["sb://", "https://", "http://"].first(where: text.hasPrefix) else {
            throw ConnectionStringError(.invalidEndpoint, "an endpoint begins with sb:// or https://")
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

    /// The scheme of requests: `https`, or `http` for a development emulator.
    public var scheme: String { isDevelopmentEmulator ? "http" : "https" }

    /// Host and port as a `Host` header has them.
    public var authority: String {
        port.map { "\(host):\($0)" } ?? host
    }

    /// Whether the host is an IP address.
    private var isAddress: Bool {
        let numbers = host.split(separator: ".", omittingEmptySubsequences: false)
        return host.hasPrefix("[") || numbers.count == 4 && numbers.allSatisfy { UInt8($0) != nil }
    }

    /// Whether it is this machine.
    package var isLoopback: Bool {
        host == "localhost" || host == "[::1]" || host.hasPrefix("127.") && isAddress
    }

    /// A name or an IPv4 address of letters, digits, hyphens and full stops, or an IPv6 address in brackets.
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
    /// The URL of a hub as tokens for it are signed: `https://HOST/HUB` in lower case, without a port.
    ///
    /// - Throws: ``ConnectionStringError`` with ``ConnectionStringError/Code/invalidHubName`` if the name is empty, longer than
    ///   260 characters, has anything but ASCII letters, digits and `. - _`, or consists of periods.
    public func hubResource(named hubName: String) throws(ConnectionStringError) -> String {
        if let problem = HubName.problem(in: hubName) {
            throw ConnectionStringError(.invalidHubName, problem.reason, offset: problem.offset)
        }
        return "https://\(host)/\(hubName.lowercased())"
    }
}

/// The rule for the names of hubs.
package enum HubName {
    /// Returns what is wrong with a name, and its first invalid byte; `nil` for a valid name.
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

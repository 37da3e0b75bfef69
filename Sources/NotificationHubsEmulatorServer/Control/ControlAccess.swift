import HubServer
import HubText
import HubCrypto
import SharedAccessSignature

/// The access rules for the control API.
///
/// On a loopback address, all programs on this machine have access. Web pages of other origins do not: requests through
/// another host name (DNS rebinding) and cross-origin forms or scripts are rejected. On any other address, each request
/// except those for the page and `health` needs the token.
struct ControlAccess: Sendable {
    private let requirement: Requirement
    /// The endpoint of the proxy in front of the server, if there is one.
    let proxy: ServiceEndpoint?

    private enum Requirement: Sendable {
        /// The server's URL, and the accepted `Host` headers.
        case loopback(url: String, hosts: Set<String>)
        case token(SHA256.Digest)
    }

    /// Returns access rules for a loopback address.
    ///
    /// - Parameters:
    ///   - port: The server's port.
    ///   - isSecure: Whether the server uses TLS.
    ///   - name: The server's name in its URL.
    ///   - proxy: The endpoint of the proxy in front of the server.
    static func loopback(
        port: UInt16, isSecure: Bool = false, name: String = "127.0.0.1", proxy: ServiceEndpoint? = nil
    ) -> ControlAccess {
        let names = ["127.0.0.1", "localhost", "[::1]", name.lowercased()]
        var hosts = Set(names.map { "\($0):\(port)" })
        if port == (isSecure ? 443 : 80) { hosts.formUnion(names) }
        if let proxy { hosts.insert(proxy.authority) }
        return ControlAccess(
            requirement: .loopback(url: "http\(isSecure ? "s" : "")://\(name):\(port)", hosts: hosts), proxy: proxy)
    }

    /// Returns access rules that require a token.
    static func token(_ token: String, proxy: ServiceEndpoint? = nil) -> ControlAccess {
        ControlAccess(requirement: .token(SHA256.hash(data: token.utf8)), proxy: proxy)
    }

    /// Returns an error if the `Host` header names neither this machine with the server's port, nor the proxy.
    ///
    /// With a token, any host is allowed, because other machines and containers use arbitrary names.
    func hostError(for request: HTTPRequest) -> ControlError? {
        guard case .loopback(let url, let hosts) = requirement else { return nil }
        guard let host = request.headers["Host"]?.lowercased(), hosts.contains(host) else {
            return ControlError(421, "invalid Host header: use \(proxy.map { "\($0)" } ?? url)\(ControlAPI.prefix)/")
        }
        return nil
    }

    /// Returns an error if the token is required and missing or wrong. The duration does not depend on the token.
    func tokenError(for request: HTTPRequest) -> ControlError? {
        guard case .token(let digest) = requirement else { return nil }
        let words = request.headers["Authorization"]?.split(separator: " ", maxSplits: 1) ?? []
        let isBearer = words.count == 2 && words[0].lowercased() == "bearer"
        if isBearer, SHA256.hash(data: words[1].utf8) == digest { return nil }
        var error = ControlError(401, "missing or invalid control token: send it as Authorization: Bearer TOKEN")
        error.headers["WWW-Authenticate"] = "Bearer realm=\"emulator\""
        return error
    }

    /// Returns an error for a state-changing request that a web page of another origin could have sent.
    func originError(for request: HTTPRequest) -> ControlError? {
        let type = request.headers["Content-Type"]?.prefix { $0 != ";" }.lowercased() ?? ""
        guard type.split(separator: " ") == ["application/json"] else {
            return ControlError(415, "unsupported Content-Type: expected application/json")
        }
        guard let origin = request.headers["Origin"] else { return nil }
        let scheme = request.isSecure ? "https" : "http"
        let allowed = [request.headers["Host"].map { "\(scheme)://\($0)" }, proxy.map { "\($0)" }]
        guard allowed.contains(where: { $0?.lowercased() == origin.lowercased() }) else {
            return ControlError(403, "invalid Origin header: cross-origin requests are not allowed")
        }
        return nil
    }
}

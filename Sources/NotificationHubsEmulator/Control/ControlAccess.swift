import HubCrypto
import NotificationHubs

/// The access rules for the control API.
///
/// On a loopback address, all programs on this machine have access. Web pages of other origins do not: requests through
/// another host name (DNS rebinding) and cross-origin forms or scripts are rejected. On any other address, each request
/// except those for the page and `health` needs the token.
struct ControlAccess: Sendable {
    private let requirement: Requirement

    private enum Requirement: Sendable {
        case loopback(port: UInt16)
        case token(SHA256.Digest)
    }

    /// Returns access rules for a loopback address.
    static func loopback(port: UInt16) -> ControlAccess {
        ControlAccess(requirement: .loopback(port: port))
    }

    /// Returns access rules that require a token.
    static func token(_ token: String) -> ControlAccess {
        ControlAccess(requirement: .token(SHA256.hash(data: token.utf8)))
    }

    /// Returns an error if the `Host` header is not a loopback name with the server's port.
    ///
    /// With a token, any host is allowed, because other machines and containers use arbitrary names.
    func hostError(for request: HTTPRequest) -> ControlError? {
        guard case .loopback(let port) = requirement else { return nil }
        let names = ["127.0.0.1", "localhost", "[::1]"]
        let allowed = names.map { "\($0):\(port)" } + (port == 80 ? names : [])
        guard let host = request.headers["Host"]?.lowercased(), allowed.contains(host) else {
            return ControlError(421, "invalid Host header: use http://127.0.0.1:\(port)\(ControlAPI.prefix)/")
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
        guard let host = request.headers["Host"], origin.lowercased() == "http://\(host)".lowercased() else {
            return ControlError(403, "invalid Origin header: cross-origin requests are not allowed")
        }
        return nil
    }
}

import HubCrypto
import NotificationHubs

/// Who may use what stands below `/$emulator/`.
///
/// On a loopback address, everyone on this machine; but no web page from elsewhere, which the browser would let ask in the
/// user's place: neither by another host's name that leads here, nor by a form or script that sends from its own origin.
/// On any other address, who brings the token.
struct ControlAccess: Sendable {
    private let guardian: Guardian

    private enum Guardian: Sendable {
        case loopback(port: UInt16)
        case token(SHA256.Digest)
    }

    /// Access for this machine.
    static func loopback(port: UInt16) -> ControlAccess {
        ControlAccess(guardian: .loopback(port: port))
    }

    /// Access for who has a token.
    static func token(_ token: String) -> ControlAccess {
        ControlAccess(guardian: .token(SHA256.hash(data: token.utf8)))
    }

    /// Refuses a request that came by another host's name. With a token, names are not looked at: containers have all sorts.
    func refusalOfHost(_ request: HTTPRequest) -> ControlError? {
        guard case .loopback(let port) = guardian else { return nil }
        let names = ["127.0.0.1", "localhost", "[::1]"]
        let allowed = names.map { "\($0):\(port)" } + (port == 80 ? names : [])
        guard let host = request.headers["Host"]?.lowercased(), allowed.contains(host) else {
            return ControlError(421, "this is http://127.0.0.1:\(port)\(Control.prefix)/, by no other host's name")
        }
        return nil
    }

    /// Refuses a request without the token, if one is asked for. The time it takes says nothing of the token.
    func refusalOfToken(_ request: HTTPRequest) -> ControlError? {
        guard case .token(let digest) = guardian else { return nil }
        let words = request.headers["Authorization"]?.split(separator: " ", maxSplits: 1) ?? []
        let isBearer = words.count == 2 && words[0].lowercased() == "bearer"
        if isBearer, SHA256.hash(data: words[1].utf8) == digest { return nil }
        var error = ControlError(401, "the control token is missing or wrong: send it as Authorization: Bearer TOKEN")
        error.headers["WWW-Authenticate"] = "Bearer realm=\"emulator\""
        return error
    }

    /// Refuses a request that changes something, unless no web page from elsewhere can have sent it.
    func refusalOfChange(_ request: HTTPRequest) -> ControlError? {
        let type = request.headers["Content-Type"]?.prefix { $0 != ";" }.lowercased() ?? ""
        guard type.split(separator: " ") == ["application/json"] else {
            return ControlError(415, "the body is JSON: Content-Type: application/json")
        }
        guard let origin = request.headers["Origin"] else { return nil }
        guard let host = request.headers["Host"], origin.lowercased() == "http://\(host)".lowercased() else {
            return ControlError(403, "a page of another origin may not do this")
        }
        return nil
    }
}

import HubText
import NotificationHubs
package import SharedAccessSignature

/// Where an app backend answers: scheme, host and port, and the path that its routes stand below.
public struct BackendAddress: Hashable, Sendable {
    package let endpoint: ServiceEndpoint
    /// What stands before `/api`, without a slash at its end; empty as a rule.
    let path: String

    /// Reads an address such as `https://push.contoso.com` or `https://contoso.com/push`.
    ///
    /// Every request carries the user's credential. So plain `http://` is for this machine alone (`localhost`, `127.0.0.1`,
    /// `[::1]`), unless it is asked for: in a test network, or where something else encrypts.
    ///
    /// - Throws: ``Invalid``.
    public init(_ url: some StringProtocol, allowingPlainHTTP: Bool = false) throws(Invalid) {
        let url = String(url)
        let isPlain = url.utf8.starts(ignoringCase: "http://")
        guard isPlain || url.utf8.starts(ignoringCase: "https://") else {
            throw Invalid(description: "a backend's address begins with https://, as in https://push.contoso.com")
        }
        let authorityEnd =
            url.utf8.dropFirst(isPlain ? 7 : 8).firstIndex(of: UInt8(ascii: "/")) ?? url.endIndex
        do {
            endpoint = try ServiceEndpoint(url[..<authorityEnd], isDevelopmentEmulator: isPlain)
        } catch {
            throw Invalid(description: error.description)
        }
        guard !isPlain || allowingPlainHTTP || endpoint.isLoopback else {
            throw Invalid(
                description: "plain HTTP would show the user's credential to everyone: use https://, or allow it")
        }
        var path = url[authorityEnd...]
        while path.hasSuffix("/") { path.removeLast() }
        guard path.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f && !"?#\\".utf8.contains($0) }), String(path).isPlainPath
        else {
            throw Invalid(
                description: "behind a backend's host stands a path, percent-encoded, without . and .., and no query")
        }
        self.path = String(path)
    }

    /// Why a text is no backend's address.
    public struct Invalid: Error, Hashable, CustomStringConvertible {
        /// What is wrong, in a sentence without the input.
        public let description: String
    }
}

extension BackendAddress: CustomStringConvertible {
    /// The address as a URL.
    public var description: String { "\(endpoint)\(path)" }
}

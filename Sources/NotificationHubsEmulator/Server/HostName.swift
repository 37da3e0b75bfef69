import HubText

/// The names of hosts.
enum HostName {
    /// The domains that only this machine, its network and the service use (RFC 6761, RFC 6762).
    static let privateDomains = ["localhost", "test", "local", "internal", "servicebus.windows.net"]

    /// Returns whether an attacker can register a name: it is not an IP address, has several labels, and is not in a private domain.
    static func isPublic(_ host: String) -> Bool {
        let isAddress = host.hasPrefix("[") || host.utf8.allSatisfy { $0.isASCIIDigit || $0 == UInt8(ascii: ".") }
        let name = host.lowercased()
        return !isAddress && name.utf8.contains(UInt8(ascii: "."))
            && !privateDomains.contains { name.hasSuffix("." + $0) }
    }
}

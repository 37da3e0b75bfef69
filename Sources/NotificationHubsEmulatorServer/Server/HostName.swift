import HubText

/// The host in a `Host` header.
package struct HostName {
    /// The name or the address, in lowercase and without the port.
    let text: String

    /// The domains of this machine and the service, for which `nhub emulator` issues certificates.
    package static let certifiableDomains = ["localhost", "test", "internal", "servicebus.windows.net"]

    /// Creates a host from the value of a `Host` header.
    init(_ header: String) {
        let end =
            header.hasPrefix("[") ? header.firstIndex(of: "]").map(header.index(after:)) : header.firstIndex(of: ":")
        text = header[..<(end ?? header.endIndex)].lowercased()
    }

    /// Whether an attacker can register the name: it is not an IP address, has several labels, and is not in a private domain
    /// (RFC 6761, RFC 6762).
    var isPublic: Bool {
        let isAddress = text.hasPrefix("[") || text.utf8.allSatisfy { $0.isASCIIDigit || $0 == UInt8(ascii: ".") }
        let domains = Self.certifiableDomains + ["local"]
        return !isAddress && text.contains(".") && !domains.contains { text.hasSuffix("." + $0) }
    }
}

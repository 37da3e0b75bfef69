import HubText

/// The address of a container in the emulator, or of a blob in it: `/$emulator/blobs/HUB/CONTAINER/BLOB?sig=SECRET`.
package struct BlobAddress: Sendable {
    /// The prefix of the paths that only the emulator has.
    package static let prefix = "/$emulator"

    package let hubName: String
    let container: String
    /// The secret that grants access to the container.
    let signature: String
    /// The blob's name in UTF-8, without a leading slash; empty for the container itself.
    var blob: [UInt8] = []

    init(hubName: String, container: String, signature: String) {
        (self.hubName, self.container, self.signature) = (hubName, container, signature)
    }

    /// Creates an address from a request's path and query; `nil` if the path is not that of a container.
    package init?(path: String, query: String) {
        let segments = path.utf8.split(separator: UInt8(ascii: "/"), maxSplits: 4).map { String(Substring($0)) }
        guard segments.count >= 4, String(percentDecoding: segments[0]).lowercased() == "$emulator",
            segments[1] == "blobs"
        else { return nil }
        (hubName, container) = (segments[2], segments[3])
        signature = QueryString(query)["sig"] ?? ""
        // The service reports a blob's path with an additional leading slash.
        if segments.count == 5 { blob = Array(PercentDecoded(segments[4].utf8).bytes.drop { $0 == UInt8(ascii: "/") }) }
    }

    /// Creates an address from a URL with any host; `nil` if its path is not that of a container.
    init?(url: String) {
        guard let scheme = url.utf8.firstRange(of: "://".utf8) else { return nil }
        let rest = url.utf8[scheme.upperBound...]
        let mark = rest.firstIndex(of: UInt8(ascii: "?")) ?? rest.endIndex
        let path = rest[..<mark].drop { $0 != UInt8(ascii: "/") }
        self.init(path: String(Substring(path)), query: String(Substring(rest[mark...].dropFirst())))
    }

    /// Returns the address of a blob in the container.
    func blob(_ name: String) -> BlobAddress {
        var address = self
        address.blob = Array(name.utf8)
        return address
    }

    /// Returns the URL, which contains the signature and is therefore secret.
    ///
    /// - Parameter endpoint: The scheme, host and port.
    package func url(at endpoint: String) -> String {
        let name = String(decoding: PercentEncoding.path.encode(blob), as: UTF8.self)
        return "\(endpoint)\(Self.prefix)/blobs/\(hubName)/\(container)" + (name.isEmpty ? "" : "/\(name)")
            + "?sig=\(signature)"
    }
}

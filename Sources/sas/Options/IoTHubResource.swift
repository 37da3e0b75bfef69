import HubText

/// The recognition of resources in IoT Hub.
struct IoTHubResource {
    /// Whether the host is in a domain of IoT Hub, in any cloud.
    let isInDomain: Bool
    /// Whether the resource has no scheme and a path such as `/devices/DEVICE`.
    let isDevicePath: Bool

    private static let domains = [".azure-devices.net", ".azure-devices.cn", ".azure-devices.us"]

    /// Parses a resource, which is not percent-encoded as a whole.
    init(_ resource: [UInt8]) {
        let scheme = resource.firstIndex(ignoringCase: "://")
        let rest = scheme.map { resource[($0 + 3)...] } ?? resource[...]
        let host = rest.prefix { !"/:?".utf8.contains($0) }
        isInDomain = Self.domains.contains { host.suffix($0.utf8.count).isEqual(ignoringCase: $0) }
        isDevicePath = scheme == nil && rest[host.endIndex...].starts(ignoringCase: "/devices/")
    }
}

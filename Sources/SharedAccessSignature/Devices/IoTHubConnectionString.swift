import HubText

/// A connection string of IoT Hub, for a device, a module or an access policy.
///
/// - `HostName=HOST;DeviceId=DEVICE;SharedAccessKey=KEY`, optionally with `ModuleId` or `GatewayHostName`
/// - `HostName=HOST;SharedAccessKeyName=NAME;SharedAccessKey=KEY`
///
/// As in a ``ConnectionString``, fields can be in any order, and their names in any case. Keys are decoded from Base64.
public struct IoTHubConnectionString: Sendable {
    /// The hub's host name, such as `contoso.azure-devices.net`.
    public let hostName: String
    /// The device's ID; `nil` for the whole hub.
    public let deviceID: String?
    /// The module's ID; `nil` for the whole device.
    public let moduleID: String?
    /// The host name of the IoT Edge gateway to connect to, which is not part of any token.
    public let gatewayHostName: String?
    /// The credential: the key of a policy or of the device.
    public let credential: Credential

    /// The credential of a connection string. New cases can be added, so every `switch` needs a `default`.
    #if hasAttribute(nonexhaustive)
    @nonexhaustive
    #endif
    public enum Credential: Sendable {
        /// An access policy's key, for ``SASSigner``.
        case policy(SharedAccessKey)
        /// A device's or a module's key, for ``SASDeviceSigner``.
        case device(SASDeviceKey)
    }

    /// Parses a connection string.
    ///
    /// - Throws: ``ConnectionStringError`` with the invalid field and its offset.
    public init(_ text: String) throws(ConnectionStringError) {
        let fields = try ConnectionStringFields<Field>(text)
        guard let hostName = fields[.hostName] else { throw fields.missing(.hostName, source: Self.source) }
        for name in [Field.hostName, .gatewayHostName] {
            guard let host = fields[name]?.value else { continue }
            guard let endpoint = try? ServiceEndpoint("https://" + host), endpoint.host == host.lowercased() else {
                throw fields.error(.invalidEndpoint, name, "expected a host name such as contoso.azure-devices.net")
            }
        }
        for name in [Field.deviceID, .moduleID] {
            guard let id = fields[name]?.value, !Self.isID(id) else { continue }
            throw fields.error(
                .invalidField, name, "expected at most 128 ASCII letters, digits and \(Self.idMarks)")
        }
        guard fields[.moduleID] == nil || fields[.deviceID] != nil else {
            throw fields.missing(.deviceID, source: Self.source)
        }
        credential = try Self.credential(fields)
        self.hostName = hostName.value
        deviceID = fields[.deviceID]?.value
        moduleID = fields[.moduleID]?.value
        gatewayHostName = fields[.gatewayHostName]?.value
    }

    /// The resource that tokens grant access to: `HOST`, `HOST/devices/DEVICE` or `HOST/devices/DEVICE/modules/MODULE`.
    ///
    /// Sign it with ``SASEncoding/verbatim``, because the IDs of devices are case-sensitive.
    public var resource: String {
        hostName + (deviceID.map { "/devices/" + $0 } ?? "") + (moduleID.map { "/modules/" + $0 } ?? "")
    }
}

extension IoTHubConnectionString {
    private static let source = "the hub's devices or access policies"

    /// The characters of IDs other than letters and digits.
    private static let idMarks = "- . % _ # * ? ! ( ) , : = @ $ ' +"

    /// Returns whether a string can be a device's or a module's ID.
    private static func isID(_ text: String) -> Bool {
        text.utf8.count <= 128
            && text.utf8.allSatisfy { $0.isASCIILetterOrDigit || $0 != 0x20 && idMarks.utf8.contains($0) }
    }

    private static func credential(
        _ fields: ConnectionStringFields<Field>
    ) throws(ConnectionStringError) -> Credential {
        guard let secret = fields[.sharedAccessKey]?.value else {
            throw fields.missing(.sharedAccessKey, source: source)
        }
        do throws(ConnectionStringError) {
            if let name = fields[.sharedAccessKeyName]?.value {
                return .policy(try SharedAccessKey(name: name, base64Secret: secret))
            }
            guard fields[.deviceID] != nil else { throw fields.missing(.sharedAccessKeyName, source: source) }
            return .device(try SASDeviceKey(base64Secret: secret))
        } catch {
            throw error.code == .invalidKey ? fields.error(.invalidKey, .sharedAccessKey, error.description) : error
        }
    }
}

extension IoTHubConnectionString: CustomStringConvertible, CustomReflectable {
    /// The connection string with its key redacted.
    public var description: String {
        var text = "HostName=\(hostName)"
        if let deviceID { text += ";DeviceId=\(deviceID)" }
        if let moduleID { text += ";ModuleId=\(moduleID)" }
        if let gatewayHostName { text += ";GatewayHostName=\(gatewayHostName)" }
        if case .policy(let key) = credential { text += ";SharedAccessKeyName=\(key.name)" }
        return text + ";SharedAccessKey=(redacted)"
    }

    /// A mirror in which the key is redacted.
    public var customMirror: Mirror { Mirror(self, children: ["resource": resource, "credential": credential]) }
}

extension IoTHubConnectionString {
    /// A field's name.
    package enum Field: String, CaseIterable, Sendable {
        /// The hub's host name.
        case hostName = "HostName"
        /// The device's ID.
        case deviceID = "DeviceId"
        /// The module's ID.
        case moduleID = "ModuleId"
        /// The access policy's name.
        case sharedAccessKeyName = "SharedAccessKeyName"
        /// The policy's or the device's key, in Base64.
        case sharedAccessKey = "SharedAccessKey"
        /// The host name of an IoT Edge gateway.
        case gatewayHostName = "GatewayHostName"
    }
}

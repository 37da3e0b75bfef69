import HubCommandLine
import HubText
import HubTokenScanner
import SharedAccessSignature

/// The key of an access policy or of an IoT Hub device, from the environment or a file.
struct GivenKey {
    /// The conversion of the secret's text to the bytes of the key.
    enum SecretEncoding: String, CaseIterable {
        /// The text's UTF-8 bytes, as in Notification Hubs, Service Bus and Event Hubs.
        case utf8
        /// The bytes that the text encodes in Base64, as in IoT Hub.
        case base64

        /// Parses `--secret-encoding`. Returns `nil` if it is omitted.
        static func parse(_ arguments: inout Arguments) throws(UsageError) -> SecretEncoding? {
            try arguments.value(of: "--secret-encoding").flatMap(Self.init(rawValue:))
        }
    }

    /// The owner of a key, and the key, ready to sign with.
    enum Owner {
        /// An access policy. Its tokens contain its name.
        case policy(SharedAccessKey)
        /// A device or a module. Its tokens contain no name.
        case device(SASDeviceKey)
    }

    let owner: Owner
    /// The key's text.
    let secret: String
    let encoding: SecretEncoding
    /// The connection string that contains the key; `nil` for a separate key.
    let connection: GivenConnection?

    /// Creates a key from the bytes of its text.
    ///
    /// - Parameters:
    ///   - policy: The policy's name; `nil` for a device's key.
    ///   - source: The option or setting that contains the key, for error messages.
    init(
        policy: String?, secret: [UInt8], encoding: SecretEncoding, source: String, connection: GivenConnection? = nil
    ) throws(UsageError) {
        guard !secret.isEmpty else { throw UsageError("\(source): the key must not be empty") }
        guard let text = String(strictUTF8: secret) else {
            throw UsageError("\(source): the key is not valid UTF-8")
        }
        if let policy {
            guard !policy.isEmpty else { throw UsageError("the policy name must not be empty") }
            guard !policy.utf8.elementsEqual(secret), !Redacted.mayContainSecret(policy.utf8) else {
                throw UsageError("the policy name looks like a key: tokens and terminals would show it")
            }
        }
        self.secret = text
        self.encoding = encoding
        self.connection = connection
        do throws(ConnectionStringError) {
            owner =
                switch (policy, encoding) {
                case (let policy?, .utf8): .policy(SharedAccessKey(name: policy, secret: text))
                case (let policy?, .base64): .policy(try SharedAccessKey(name: policy, base64Secret: text))
                case (nil, .utf8): .device(SASDeviceKey(secret: text))
                case (nil, .base64): .device(try SASDeviceKey(base64Secret: text))
                }
        } catch {
            throw UsageError("\(source): the key is not valid Base64, as --secret-encoding base64 requires")
        }
    }

    /// Creates a key from a connection string's bytes.
    ///
    /// - Parameter encoding: The key's encoding; by default, that of the connection string's service.
    init(connectionString: [UInt8], encoding: SecretEncoding?) throws(UsageError) {
        let connection = try GivenConnection(connectionString)
        try self.init(
            policy: connection.policy, secret: connection.secret,
            encoding: encoding ?? (connection.isIoTHub ? .base64 : .utf8), source: "the connection string",
            connection: connection)
    }

    /// The policy's name; `nil` for a device's key.
    var policy: String? {
        if case .policy(let key) = owner { key.name } else { nil }
    }

    /// Whether the key is from a connection string of IoT Hub, or a device's.
    var isForIoTHub: Bool { policy == nil || connection?.isIoTHub == true }

    /// Warns about characters that are probably not part of the key. The key is used unchanged.
    func warnAboutExtraCharacters() {
        let extras = KeyInput(Array(secret.utf8)).extras
        if extras.isEmpty { return }
        Console.error("sas: warning: the key contains \(extras.joined(separator: " and ")); it is used unchanged")
    }

    /// Warns if a resource is at another host than the key's connection string.
    func warnAboutOtherHost(_ resource: String) {
        guard let connection else { return }
        var rest = Array(resource.utf8)[...]
        if let scheme = rest.firstIndex(ignoringCase: "://") { rest = rest[(scheme + 3)...] }
        if rest.prefix(while: { !"/:?#".utf8.contains($0) }).isEqual(ignoringCase: connection.host) { return }
        Console.error(
            "sas: warning: --resource is at another host than the connection string's endpoint, \(connection.host)")
    }
}

/// A connection string with a key.
struct GivenConnection {
    /// The parsed connection string.
    private enum Content {
        case serviceBus(ConnectionString)
        case iotHub(IoTHubConnectionString)
    }

    /// The text.
    let bytes: [UInt8]
    private let content: Content
    /// The policy's name; `nil` for a device's connection string.
    let policy: String?

    init(_ bytes: [UInt8]) throws(UsageError) {
        guard let text = String(strictUTF8: bytes) else {
            throw UsageError("the connection string is not valid UTF-8")
        }
        if let first = bytes.first, "\"'`".utf8.contains(first), bytes.last == first {
            throw UsageError("the connection string is in quotation marks: remove them")
        }
        self.bytes = bytes
        do throws(ConnectionStringError) {
            if Self.value(of: "HostName", in: bytes) != nil || Self.value(of: "DeviceId", in: bytes) != nil {
                let connection = try IoTHubConnectionString(text)
                if case .policy(let key) = connection.credential { policy = key.name } else { policy = nil }
                content = .iotHub(connection)
                return
            }
            let connection = try ConnectionString(text)
            policy = connection.key?.name
            content = .serviceBus(connection)
        } catch {
            throw UsageError("\(error)")
        }
        guard policy != nil else {
            throw UsageError("the connection string contains a SharedAccessSignature instead of a key")
        }
    }

    /// Whether the connection string is one of IoT Hub.
    var isIoTHub: Bool {
        if case .iotHub = content { true } else { false }
    }

    /// The host name.
    var host: String {
        switch content {
        case .serviceBus(let connection): connection.endpoint.host
        case .iotHub(let connection): connection.hostName
        }
    }

    /// The text of the key.
    var secret: [UInt8] { Self.value(of: "SharedAccessKey", in: bytes) ?? [] }

    /// Returns the resource to sign by default: the hub or the namespace, or the device.
    ///
    /// - Parameter hub: The hub's name, if the connection string does not contain it.
    func resource(hub: String?) throws(UsageError) -> String {
        if let hub, hub.isEmpty { throw UsageError("--hub must not be empty") }
        switch content {
        case .serviceBus(let connection):
            guard let hub = hub ?? connection.entityPath else { return "https://\(connection.endpoint.host)/" }
            do {
                return try connection.endpoint.hubResource(named: hub)
            } catch {
                throw UsageError("\(error)")
            }
        case .iotHub(let connection):
            guard hub == nil else {
                throw UsageError("--hub cannot be combined with a connection string of IoT Hub: remove it")
            }
            return connection.resource
        }
    }

    /// Returns the value of a field of a connection string; `nil` if the field is missing.
    private static func value(of name: String, in connectionString: [UInt8]) -> [UInt8]? {
        for part in connectionString.split(separator: UInt8(ascii: ";")) {
            guard let equals = part.firstIndex(of: UInt8(ascii: "=")) else { continue }
            if part[..<equals].trimmed.isEqual(ignoringCase: name) { return Array(part[(equals + 1)...].trimmed) }
        }
        return nil
    }
}

/// A key's text, separated from characters that were copied with it.
struct KeyInput {
    /// Names of the characters that are not part of the key, such as "a line break".
    private(set) var extras: [String] = []
    /// The text without these characters.
    private(set) var trimmed: [UInt8]

    init(_ text: [UInt8]) {
        trimmed = text
        if trimmed.contains(0) { remove("a NUL") { $0.filter { $0 != 0 } } }
        while true {
            let before = trimmed
            if trimmed.starts(with: [0xef, 0xbb, 0xbf]) { remove("a byte order mark") { Array($0.dropFirst(3)) } }
            let withoutSpace = Array(trimmed[...].trimmed)
            if withoutSpace != trimmed {
                let hasLineBreak = trimmed.contains { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }
                remove(hasLineBreak ? "a line break" : "whitespace") { _ in withoutSpace }
            }
            if let first = trimmed.first, trimmed.count > 1, trimmed.last == first, "\"'`".utf8.contains(first) {
                remove("quotes") { Array($0.dropFirst().dropLast()) }
            }
            if trimmed == before { return }
        }
    }

    private mutating func remove(_ name: String, _ removal: ([UInt8]) -> [UInt8]) {
        if !extras.contains(name) { extras.append(name) }
        trimmed = removal(trimmed)
    }
}

import HubCommandLine
import HubText
import HubTokenScanner
import SharedAccessSignature

/// The key of an access policy, from the environment or a file.
struct GivenKey {
    /// The key, ready to sign with.
    let key: SharedAccessKey
    /// The key's text.
    let secret: String
    /// The connection string that contains the key; `nil` for a separate key.
    let connection: GivenConnection?

    /// Creates a key from the bytes of its text.
    ///
    /// - Parameter source: The option or setting that contains the key, for error messages.
    init(
        policy: String, secret: [UInt8], source: String, connection: GivenConnection? = nil
    ) throws(UsageError) {
        guard !secret.isEmpty else { throw UsageError("\(source): the key must not be empty") }
        guard let text = String(strictUTF8: secret) else {
            throw UsageError("\(source): the key is not valid UTF-8")
        }
        guard !policy.isEmpty else { throw UsageError("the policy name must not be empty") }
        guard !policy.utf8.elementsEqual(secret), !Redacted.mayContainSecret(policy.utf8) else {
            throw UsageError("the policy name looks like a key: tokens and terminals would show it")
        }
        key = SharedAccessKey(name: policy, secret: text)
        self.secret = text
        self.connection = connection
    }

    /// Creates a key from a connection string's bytes.
    init(connectionString: [UInt8]) throws(UsageError) {
        let connection = try GivenConnection(connectionString)
        try self.init(
            policy: connection.policy, secret: connection.secret, source: "the connection string",
            connection: connection)
    }

    /// The policy's name.
    var policy: String { key.name }

    /// Throws if the key is a whole token or connection string, with which no service verifies.
    func checkForSigning() throws(UsageError) {
        for (start, kind) in [("SharedAccessSignature ", "a token"), ("Endpoint=", "a connection string")]
        where secret.hasPrefix(start) {
            throw UsageError("the key of \(policy): expected a key, but it is \(kind)")
        }
    }

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
    /// The text.
    let bytes: [UInt8]
    private let connection: ConnectionString
    /// The policy's name.
    let policy: String

    init(_ bytes: [UInt8]) throws(UsageError) {
        guard let text = String(strictUTF8: bytes) else {
            throw UsageError("the connection string is not valid UTF-8")
        }
        if let first = bytes.first, "\"'`".utf8.contains(first), bytes.last == first {
            throw UsageError("the connection string is in quotation marks: remove them")
        }
        self.bytes = bytes
        guard Self.value(of: "HostName", in: bytes) == nil, Self.value(of: "DeviceId", in: bytes) == nil else {
            throw UsageError("the connection string is for IoT Hub, whose tokens sas does not sign or verify")
        }
        do throws(ConnectionStringError) {
            connection = try ConnectionString(text)
            for field in connection.ignoredFields {
                Console.error("sas: warning: the connection string's field \(field) has no effect")
            }
        } catch {
            throw UsageError("\(error)")
        }
        guard let key = connection.key else {
            throw UsageError("the connection string contains a SharedAccessSignature instead of a key")
        }
        policy = key.name
    }

    /// The host name.
    var host: String { connection.endpoint.host }

    /// The text of the key.
    var secret: [UInt8] { Self.value(of: "SharedAccessKey", in: bytes) ?? [] }

    /// Returns the resource to sign by default: the hub or the namespace.
    ///
    /// - Parameter hub: The hub's name, if the connection string does not contain it.
    func resource(hub: String?) throws(UsageError) -> String {
        if let hub, hub.isEmpty { throw UsageError("--hub must not be empty") }
        guard let hub = hub ?? connection.entityPath else { return "https://\(host)/" }
        do {
            return try connection.endpoint.hubResource(named: hub)
        } catch {
            throw UsageError("\(error)")
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

import HubCommandLine
import HubText
import HubTokenScanner
import SharedAccessSignature

/// An access policy's key, from the environment or a file.
struct PolicyKey {
    /// The conversion of the secret's text to the bytes of the key.
    enum SecretEncoding: String, CaseIterable {
        /// The text's UTF-8 bytes, as in Notification Hubs, Service Bus and Event Hubs.
        case utf8
        /// The bytes that the text encodes in Base64, as in IoT Hub.
        case base64

        /// Parses `--secret-encoding`.
        init(_ arguments: inout Arguments) throws(UsageError) {
            let name = try arguments.value(of: "--secret-encoding") ?? "utf8"
            guard let encoding = Self(rawValue: name) else {
                throw UsageError("--secret-encoding: expected utf8 or base64")
            }
            self = encoding
        }
    }

    /// The policy's name.
    let name: String
    /// The key's text.
    let secret: String
    /// The key, ready to sign with.
    let key: SharedAccessKey
    /// The connection string that contains the key; `nil` for a separate key.
    let connection: ConnectionString?
    /// The bytes of that connection string.
    let connectionString: [UInt8]?

    /// Creates a key from its policy's name and the bytes of its text.
    ///
    /// - Parameter source: The option or setting that contains the key, for error messages.
    init(
        name: String, secret: [UInt8], encoding: SecretEncoding, source: String, connection: ConnectionString? = nil,
        connectionString: [UInt8]? = nil
    ) throws(UsageError) {
        guard !name.isEmpty else { throw UsageError("the policy name must not be empty") }
        guard !secret.isEmpty else { throw UsageError("\(source): the key must not be empty") }
        guard let text = String(strictUTF8: secret) else {
            throw UsageError("\(source): the key is not valid UTF-8")
        }
        guard !name.utf8.elementsEqual(secret), !Redacted.mayContainSecret(name.utf8) else {
            throw UsageError("the policy name looks like a key: tokens and terminals would show it")
        }
        self.name = name
        self.secret = text
        self.connection = connection
        self.connectionString = connectionString
        switch encoding {
        case .utf8:
            key = SharedAccessKey(name: name, secret: text)
        case .base64:
            do {
                key = try SharedAccessKey(name: name, base64Secret: text)
            } catch {
                throw UsageError("\(source): the key is not valid Base64, as --secret-encoding base64 requires")
            }
        }
    }

    /// Warns about characters that are probably not part of the key. The key is used unchanged.
    func warnAboutExtraCharacters() {
        let extras = KeyInput(Array(secret.utf8)).extras
        if extras.isEmpty { return }
        Console.error("sas: warning: the key contains \(extras.joined(separator: " and ")); it is used unchanged")
    }

    /// Warns if a resource is at another host than the endpoint of the key's connection string.
    func warnAboutOtherHost(_ resource: String) {
        guard let endpoint = connection?.endpoint.host else { return }
        var rest = Array(resource.utf8)[...]
        if let scheme = rest.firstIndex(ignoringCase: "://") { rest = rest[(scheme + 3)...] }
        if rest.prefix(while: { !"/:?#".utf8.contains($0) }).isEqual(ignoringCase: endpoint) { return }
        Console.error("sas: warning: --resource is at another host than the connection string's endpoint, \(endpoint)")
    }

    /// Creates a key from a connection string's bytes.
    init(connectionString: [UInt8], encoding: SecretEncoding) throws(UsageError) {
        guard let text = String(strictUTF8: connectionString) else {
            throw UsageError("the connection string is not valid UTF-8")
        }
        if let first = connectionString.first, "\"'`".utf8.contains(first), connectionString.last == first {
            throw UsageError("the connection string is in quotation marks: remove them")
        }
        do {
            let connection = try ConnectionString(text)
            guard let key = connection.key else {
                throw UsageError("the connection string contains a SharedAccessSignature instead of a key")
            }
            try self.init(
                name: key.name, secret: Self.secret(in: connectionString), encoding: encoding,
                source: "the connection string", connection: connection,
                connectionString: connectionString)
        } catch let error as UsageError {
            throw error
        } catch {
            throw UsageError("\(error)")
        }
    }

    /// Returns the value of `SharedAccessKey` in a valid connection string.
    private static func secret(in connectionString: [UInt8]) -> [UInt8] {
        for part in connectionString.split(separator: UInt8(ascii: ";")) {
            guard let equals = part.firstIndex(of: UInt8(ascii: "=")) else { continue }
            if part[..<equals].trimmed.isEqual(ignoringCase: "SharedAccessKey") {
                return Array(part[(equals + 1)...].trimmed)
            }
        }
        return []
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

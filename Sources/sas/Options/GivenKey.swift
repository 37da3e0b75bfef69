import HubCommandLine
import HubText
import HubTokenScanner
import SharedAccessSignature

/// A policy's key as given by the user. Its secret is used in keys only.
struct GivenKey {
    /// The meaning of the secret's text.
    enum SecretEncoding: String, CaseIterable {
        /// The key is the text, as in Notification Hubs, Service Bus and Event Hubs.
        case utf8
        /// The key is the decoded Base64, as in IoT Hub.
        case base64

        /// Parses the option.
        init(_ arguments: inout Arguments) throws(UsageError) {
            let name = try arguments.value(of: "--secret-encoding") ?? "utf8"
            guard let encoding = Self(rawValue: name) else {
                throw UsageError("--secret-encoding is utf8 or base64")
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
    /// The connection string that contains the key, if any.
    let connection: ConnectionString?
    /// That connection string's bytes.
    let connectionString: [UInt8]?

    /// Creates a key from its name and its secret's bytes.
    ///
    /// - Parameter source: The source of the secret, for errors.
    init(
        name: String, secret: [UInt8], encoding: SecretEncoding, source: String, connection: ConnectionString? = nil,
        connectionString: [UInt8]? = nil
    ) throws(UsageError) {
        guard !name.isEmpty else { throw UsageError("the key's name is empty") }
        guard !secret.isEmpty else { throw UsageError("the key of \(source) is empty") }
        guard let text = String(strictUTF8: secret) else {
            throw UsageError("the key of \(source) is no text in UTF-8")
        }
        guard !name.utf8.elementsEqual(secret), !Redacted.mayHoldSecret(name.utf8) else {
            throw UsageError("the key's name looks like a key: it would be shown in tokens and on terminals")
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
                throw UsageError("the key of \(source) is no base64 text, and --secret-encoding says that it is")
            }
        }
    }

    /// Warns about text around the secret that hardly belongs to it. The key is used as it is.
    func warnOfSurroundings() {
        let surroundings = GivenText(Array(secret.utf8)).surroundings
        if surroundings.isEmpty { return }
        Console.error(
            "sas: warning: the key has \(surroundings.joined(separator: " and ")) around it or in it, and is used so")
    }

    /// Creates the key of a connection string.
    init(connectionString: [UInt8], encoding: SecretEncoding) throws(UsageError) {
        guard let text = String(strictUTF8: connectionString) else {
            throw UsageError("the connection string is no text in UTF-8")
        }
        do {
            let connection = try ConnectionString(text)
            guard let key = connection.key else {
                throw UsageError("the connection string has a SharedAccessSignature and no key to use")
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

    /// The value of `SharedAccessKey` in a valid connection string.
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

/// A key's text as given, with and without what surrounds the key.
struct GivenText {
    /// Descriptions of what surrounds the key, or is in it, without being part of it.
    private(set) var surroundings: [String] = []
    /// The key without its surroundings.
    private(set) var bare: [UInt8]

    init(_ text: [UInt8]) {
        bare = text
        if bare.contains(0) { take("a NUL") { $0.filter { $0 != 0 } } }
        while true {
            let before = bare
            if bare.starts(with: [0xef, 0xbb, 0xbf]) { take("a byte order mark") { Array($0.dropFirst(3)) } }
            let trimmed = Array(bare[...].trimmed)
            if trimmed != bare {
                let hasLineBreak = bare.contains { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }
                take(hasLineBreak ? "a line break" : "white space") { _ in trimmed }
            }
            if let first = bare.first, bare.count > 1, bare.last == first, "\"'`".utf8.contains(first) {
                take("quotes") { Array($0.dropFirst().dropLast()) }
            }
            if bare == before { return }
        }
    }

    private mutating func take(_ name: String, _ change: ([UInt8]) -> [UInt8]) {
        if !surroundings.contains(name) { surroundings.append(name) }
        bare = change(bare)
    }
}

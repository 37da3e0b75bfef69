import HubCommandLine
import HubText
import HubTokenScanner
import SharedAccessSignature

/// A policy's key as it was given. Its secret goes into keys, and nowhere else.
struct GivenKey {
    /// What the secret's text stands for.
    enum SecretEncoding: String, CaseIterable {
        /// Itself, as Notification Hubs, Service Bus and Event Hubs take it.
        case utf8
        /// The bytes that it is the base64 of, as IoT Hub takes it.
        case base64

        /// Takes the option.
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
    /// The string that the key is from, if it is from one.
    let connection: ConnectionString?
    /// That string as it is.
    let connectionString: [UInt8]?

    /// A key by its name and its secret's bytes.
    ///
    /// - Parameter source: where the secret is from, for errors.
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

    /// Says on standard error what is around the secret and hardly belongs there. The key is used as it is.
    func warnOfSurroundings() {
        let surroundings = GivenText(Array(secret.utf8)).surroundings
        if surroundings.isEmpty { return }
        Console.error(
            "sas: warning: the key has \(surroundings.joined(separator: " and ")) around it or in it, and is used so")
    }

    /// The key of a connection string.
    init(connectionString: [UInt8], encoding: SecretEncoding) throws(UsageError) {
        guard let text = String(strictUTF8: connectionString) else {
            throw UsageError("the connection string is no text in UTF-8")
        }
        do {
            let connection = try ConnectionString(text)
            try self.init(
                name: try connection.key.name, secret: Self.secret(in: connectionString), encoding: encoding,
                source: "the connection string", connection: connection,
                connectionString: connectionString)
        } catch let error as UsageError {
            throw error
        } catch {
            throw UsageError("\(error)")
        }
    }

    /// The value of `SharedAccessKey` in a connection string that is known to be one.
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

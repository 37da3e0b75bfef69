import HubCommandLine
import HubText

/// A parser for the options that specify keys.
enum KeyOptions {
    /// The largest key file, in bytes. Azure's keys and connection strings are shorter than 300 bytes.
    private static let maximumFileSize = 65_536

    /// Returns the keys in the order of their options.
    ///
    /// A key from `--key-env` or `--key-file` belongs to the policy that the preceding `--key-name` names. With one name and one
    /// key, their order does not matter.
    static func parse(_ arguments: inout Arguments) throws -> [GivenKey] {
        var options = try arguments.values(
            of: .key, .keyName, .keyEnv, .keyFile, .connectionStringEnv, .connectionStringFile)
        let names = options.indices.filter { options[$0].option == .keyName }
        let secrets = options.indices.filter { [.keyEnv, .keyFile].contains(options[$0].option) }
        if names.count == 1, secrets.count == 1, secrets[0] < names[0] { options.swapAt(secrets[0], names[0]) }

        var keys: [GivenKey] = []
        var name: (text: String, isUsed: Bool)?
        for (option, value) in options {
            switch option {
            case .key:
                let (policy, secret) = try policyAndSecret(value)
                keys.append(try GivenKey(policy: policy, secret: secret, source: option.description))
            case .keyName:
                try check(name)
                name = (value, false)
            case .connectionStringEnv:
                keys.append(try GivenKey(connectionString: variable(value, of: option)))
            case .connectionStringFile:
                let text = try file(value, of: option, "the file with the connection string")
                keys.append(try GivenKey(connectionString: text))
            default:
                guard let policy = name?.text else {
                    throw UsageError("\(option): expected a preceding --key-name that names the key's policy")
                }
                let secret = option == .keyEnv ? try variable(value, of: option) : try keyFile(value, of: option)
                keys.append(try GivenKey(policy: policy, secret: secret, source: option.description))
                name?.isUsed = true
            }
        }
        try check(name)
        return keys
    }

    /// Parses the value of `--key`: `NAME=env:VARIABLE` or `NAME=file:PATH`.
    private static func policyAndSecret(_ value: String) throws -> (policy: String, secret: [UInt8]) {
        let parts = value.utf8.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
        let (policy, source) = (String(Substring(parts[0])), parts.dropFirst().first.map(Array.init) ?? [])
        if source.starts(with: "env:".utf8) {
            return (policy, try variable(source.dropFirst(4).lossyText, of: .key))
        }
        if source.starts(with: "file:".utf8) {
            return (policy, try keyFile(source.dropFirst(5).lossyText, of: .key))
        }
        throw UsageError("--key: expected NAME=env:VARIABLE or NAME=file:PATH")
    }

    /// The error for a missing key.
    static let missing = UsageError(
        "missing key: pass --key NAME=env:VARIABLE or --key NAME=file:PATH, or --connection-string-env VARIABLE"
    )

    /// Checks that a key follows a policy's name.
    private static func check(_ name: (text: String, isUsed: Bool)?) throws(UsageError) {
        guard let name, !name.isUsed else { return }
        throw UsageError("--key-name: expected a key after it: --key-env VARIABLE or --key-file PATH")
    }

    /// Returns the value of an environment variable.
    private static func variable(_ name: String, of option: OptionName) throws(UsageError) -> [UInt8] {
        // Redact the name if it may be a key that the user pasted by mistake.
        let isName = name.utf8.allSatisfy { (0x41...0x5a).contains($0) || $0.isASCIIDigit || $0 == UInt8(ascii: "_") }
        let shown = isName && name.utf8.count <= 60 ? name : "(redacted)"
        guard let value = Environment.bytes(of: name) else {
            throw UsageError("\(option): environment variable \(shown) is not set")
        }
        guard !value.isEmpty else { throw UsageError("\(option): environment variable \(shown) is empty") }
        return value
    }

    private static func keyFile(_ path: String, of option: OptionName) throws -> [UInt8] {
        try file(path, of: option, "the key file")
    }

    /// Returns a file's bytes without a trailing newline.
    private static func file(_ path: String, of option: OptionName, _ source: String) throws -> [UInt8] {
        let bytes: [UInt8]
        do {
            bytes = try InputFile(path: Array(path.utf8)).rest(upTo: maximumFileSize + 1)
        } catch {
            throw InputError(source: Arguments.fileName(path).map { "\(source) \($0)" } ?? source, reason: error)
        }
        guard bytes.count <= maximumFileSize else {
            throw UsageError("\(option): the file is larger than \(maximumFileSize) bytes")
        }
        return bytes.withoutLineEnd
    }
}

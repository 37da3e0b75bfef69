import HubCommandLine
import HubText

/// A parser for the options that specify keys.
enum KeyOptions {
    /// The largest key file, in bytes. Azure's keys and connection strings are shorter than 300 bytes.
    private static let maximumFileSize = 65_536

    /// Returns the keys in the order of their options.
    ///
    /// A key from `--key-env` or `--key-file` belongs to the policy that the preceding `--key-name` names.
    static func parse(_ arguments: inout Arguments, _ encoding: PolicyKey.SecretEncoding) throws -> [PolicyKey] {
        let options = try arguments.values(of: "--key-name", "--key-env", "--key-file", "--connection-string-env")
        var keys: [PolicyKey] = []
        var name: (text: String, isUsed: Bool)?
        for (option, value) in options {
            switch option {
            case "--key-name":
                try check(name)
                name = (value, false)
            case "--connection-string-env":
                keys.append(try PolicyKey(connectionString: variable(value, of: option), encoding: encoding))
            default:
                guard let policy = name?.text else {
                    throw UsageError("\(option): expected a preceding --key-name that names the key's policy")
                }
                let secret = option == "--key-env" ? try variable(value, of: option) : try file(value)
                keys.append(try PolicyKey(name: policy, secret: secret, encoding: encoding, source: option))
                name?.isUsed = true
            }
        }
        try check(name)
        return keys
    }

    /// The error for a missing key.
    static let missing = UsageError(
        "missing key: pass --connection-string-env VARIABLE, or --key-name NAME with --key-env VARIABLE or --key-file PATH"
    )

    /// Checks that a key follows a policy's name.
    private static func check(_ name: (text: String, isUsed: Bool)?) throws(UsageError) {
        guard let name, !name.isUsed else { return }
        throw UsageError("--key-name: expected a key after it: --key-env VARIABLE or --key-file PATH")
    }

    /// Returns the value of an environment variable.
    private static func variable(_ name: String, of option: String) throws(UsageError) -> [UInt8] {
        // Redact the name if it may be a key that the user pasted by mistake.
        let isName = name.utf8.allSatisfy { (0x41...0x5a).contains($0) || $0.isASCIIDigit || $0 == UInt8(ascii: "_") }
        let shown = isName && name.utf8.count <= 60 ? name : "(redacted)"
        guard let value = Environment.bytes(of: name) else {
            throw UsageError("\(option): environment variable \(shown) is not set")
        }
        guard !value.isEmpty else { throw UsageError("\(option): environment variable \(shown) is empty") }
        return value
    }

    /// Returns a file's bytes without a trailing newline.
    private static func file(_ path: String) throws -> [UInt8] {
        var bytes: [UInt8]
        do {
            bytes = try InputFile(path: Array(path.utf8)).rest(upTo: maximumFileSize + 1)
        } catch {
            throw InputError(source: "the key file", reason: error)
        }
        guard bytes.count <= maximumFileSize else {
            throw UsageError("--key-file: the file is larger than \(maximumFileSize) bytes")
        }
        if bytes.last == UInt8(ascii: "\n") {
            bytes.removeLast()
            if bytes.last == UInt8(ascii: "\r") { bytes.removeLast() }
        }
        return bytes
    }
}

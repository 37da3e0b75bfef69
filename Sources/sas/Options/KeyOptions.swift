import HubCommandLine
import HubText

/// Parses the options that give keys.
enum KeyOptions {
    /// The largest key file, in bytes; Azure's keys and connection strings have fewer than 300.
    private static let longestFile = 65_536

    /// The keys, in the order given. Those of `--key-env` and `--key-file` belong to the policy of the last `--key-name` before
    /// them.
    static func take(from arguments: inout Arguments, _ encoding: GivenKey.SecretEncoding) throws -> [GivenKey] {
        let options = try arguments.values(of: "--key-name", "--key-env", "--key-file", "--connection-string-env")
        var keys: [GivenKey] = []
        var name: (text: String, isUsed: Bool)?
        for (option, value) in options {
            switch option {
            case "--key-name":
                try check(name)
                name = (value, false)
            case "--connection-string-env":
                keys.append(try GivenKey(connectionString: variable(value, of: option), encoding: encoding))
            default:
                guard let policy = name?.text else {
                    throw UsageError("\(option) needs a --key-name before it, to say whose key it is")
                }
                let secret = option == "--key-env" ? try variable(value, of: option) : try file(value)
                keys.append(try GivenKey(name: policy, secret: secret, encoding: encoding, source: option))
                name?.isUsed = true
            }
        }
        try check(name)
        return keys
    }

    /// The error for a missing key.
    static let missing = UsageError(
        "a key is missing: --connection-string-env NAME, or --key-name NAME with --key-env VARIABLE or --key-file PATH")

    private static func check(_ name: (text: String, isUsed: Bool)?) throws(UsageError) {
        guard let name, !name.isUsed else { return }
        throw UsageError("--key-name needs a key behind it: --key-env VARIABLE or --key-file PATH")
    }

    private static func variable(_ name: String, of option: String) throws(UsageError) -> [UInt8] {
        // The user may have pasted a key in place of the variable's name.
        let isName = name.utf8.allSatisfy { (0x41...0x5a).contains($0) || $0.isASCIIDigit || $0 == UInt8(ascii: "_") }
        let shown = isName && name.utf8.count <= 60 ? name : "(not shown)"
        guard let value = Environment.bytes(of: name) else {
            throw UsageError("the environment variable \(shown) of \(option) is not set")
        }
        guard !value.isEmpty else { throw UsageError("the environment variable \(shown) of \(option) is empty") }
        return value
    }

    /// A file's bytes without a trailing newline.
    private static func file(_ path: String) throws -> [UInt8] {
        var bytes: [UInt8]
        do {
            bytes = try InputFile(path: Array(path.utf8)).rest(upTo: longestFile + 1)
        } catch {
            throw InputError(source: "the file of --key-file", reason: error)
        }
        guard bytes.count <= longestFile else {
            throw UsageError("the file of --key-file is no key: it has more than \(longestFile) bytes")
        }
        if bytes.last == UInt8(ascii: "\n") {
            bytes.removeLast()
            if bytes.last == UInt8(ascii: "\r") { bytes.removeLast() }
        }
        return bytes
    }
}

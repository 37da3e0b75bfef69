import HubCommandLine

/// An input file named on the command line, or standard input for `-`.
struct Input {
    private let path: [UInt8]?
    /// The input's name for messages. It omits a path that may be a misplaced secret.
    private let name: String

    init(_ operand: String) {
        path = operand == "-" ? nil : Array(operand.utf8)
        name = path == nil ? "standard input" : Arguments.fileName(operand) ?? "the file"
    }

    /// The maximum number of bytes to read, which exceeds every limit of the service.
    private static let limit = 16 << 20

    /// Returns the whole content.
    func bytes() throws(InputError) -> [UInt8] {
        do {
            guard let path else { return try InputFile.standardInput.rest(upTo: Self.limit) }
            return try InputFile(path: path).rest(upTo: Self.limit)
        } catch {
            throw InputError(description: "cannot read \(name): \(error)")
        }
    }

    /// Reads and parses the whole content.
    ///
    /// - Parameter kind: The expected content, such as `installation`.
    /// - Throws: ``InputError`` if the input cannot be read or parsed.
    func read<Value>(as kind: String, _ parse: ([UInt8]) throws -> Value) throws(InputError) -> Value {
        let bytes = try bytes()
        do {
            return try parse(bytes)
        } catch {
            throw invalid(kind, error)
        }
    }

    /// Creates an error for content that cannot be sent.
    func invalid(_ kind: String, _ reason: some Any) -> InputError {
        InputError(description: "invalid \(kind) in \(name): \(reason)")
    }
}

/// An error for input that cannot be read or is invalid.
struct InputError: Error, CustomStringConvertible {
    let description: String
}

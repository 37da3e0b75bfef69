import HubCommandLine

/// A file that the command line names, or standard input for `-`.
struct Input {
    private let path: [UInt8]?

    init(_ operand: String) {
        path = operand == "-" ? nil : Array(operand.utf8)
    }

    /// As much as is read, in bytes: more than the service takes of anything.
    private static let limit = 16 << 20

    /// Reads all of it.
    func bytes() throws(Problem) -> [UInt8] {
        do {
            guard let path else { return try InputFile.standardInput.rest(upTo: Self.limit) }
            return try InputFile(path: path).rest(upTo: Self.limit)
        } catch {
            throw Problem(description: "cannot read \(name): \(error)")
        }
    }

    /// Reads all of it, and makes something of it.
    ///
    /// - Parameter what: what it should be, such as `an installation`.
    /// - Throws: ``Problem`` if it cannot be read, or the reader throws.
    func read<Value>(as what: String, _ reader: ([UInt8]) throws -> Value) throws(Problem) -> Value {
        let bytes = try bytes()
        do {
            return try reader(bytes)
        } catch {
            throw problem(with: what, error)
        }
    }

    /// Something that is wrong with what was read, which the service would not take.
    func problem(with what: String, _ error: any Error) -> Problem {
        problem("does not have \(what) that can be sent: \(error)")
    }

    /// Something that is wrong with what was read.
    func problem(_ text: String) -> Problem {
        Problem(description: "\(name) \(text)")
    }

    /// Not the path: a secret may stand in its place.
    private var name: String { path == nil ? "standard input" : "the file" }

    /// What was to be read cannot be, or is not what it should be.
    struct Problem: Error, CustomStringConvertible {
        /// What is wrong, in one line.
        let description: String
    }
}

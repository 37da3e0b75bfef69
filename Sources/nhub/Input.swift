import HubCommandLine

/// A file that the command line names, or standard input for `-`.
struct Input {
    private let path: [UInt8]?

    init(_ operand: String) {
        path = operand == "-" ? nil : Array(operand.utf8)
    }

    /// As much as is read, in bytes: more than the service takes of anything.
    private static let limit = 16 << 20

    /// Reads all of it, and makes something of it.
    ///
    /// - Parameter what: what it should be, such as `installation`.
    /// - Throws: ``Problem`` if it cannot be read, or the reader throws.
    func read<Value>(as what: String, _ reader: ([UInt8]) throws -> Value) throws(Problem) -> Value {
        let bytes: [UInt8]
        do {
            bytes =
                try path.map(InputFile.init(path:))?.rest(upTo: Self.limit)
                ?? InputFile.standardInput.rest(upTo: Self.limit)
        } catch {
            throw Problem(description: "cannot read \(name): \(error)")
        }
        do {
            return try reader(bytes)
        } catch {
            throw problem("has no \(what) that can be sent: \(error)")
        }
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

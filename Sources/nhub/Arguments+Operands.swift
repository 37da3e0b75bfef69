import HubCommandLine

extension Arguments {
    /// Takes what is left: exactly one operand for each name.
    ///
    /// - Parameter names: what the operands are, for the error's text.
    mutating func operands(named names: String...) throws(UsageError) -> [String] {
        let operands = try operands()
        if operands.count < names.count { throw UsageError("\(names[operands.count]) is missing") }
        if operands.count > names.count {
            throw UsageError("the argument \(Self.quoted(operands[names.count])) is one too many")
        }
        return operands
    }
}

extension UsageError {
    /// Makes a value of what stands on the command line.
    ///
    /// - Parameter option: where it stands.
    /// - Throws: a usage error for anything that is thrown. Errors of the library do not repeat the text.
    static func reading<Value>(_ option: String, _ value: () throws -> Value) throws(UsageError) -> Value {
        do {
            return try value()
        } catch {
            throw UsageError("\(option): \(error)")
        }
    }
}

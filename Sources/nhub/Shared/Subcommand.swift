import HubCommandLine

/// A subcommand of `nhub`.
protocol Subcommand: SendableMetatype {
    /// The name, the texts and the options.
    static var command: Command { get }
    /// Runs the subcommand. The caller has handled `--help` and checked the options.
    static func run(_ arguments: consuming Arguments) async throws -> ExitStatus
}

extension Arguments {
    /// Removes and returns the remaining words, one operand for each name.
    ///
    /// - Parameter names: The operands' names for error messages.
    mutating func operands(named names: String...) throws(UsageError) -> [String] {
        try operands(named: names)
    }

    /// Removes and returns the remaining words, one operand for each name.
    mutating func operands(named names: [String]) throws(UsageError) -> [String] {
        let operands = try operands()
        if operands.count < names.count { throw UsageError("missing \(names[operands.count])") }
        if operands.count > names.count {
            throw UsageError("unexpected argument: \(Self.quoted(operands[names.count]))")
        }
        return operands
    }

    /// Removes an option and returns its integer, or `nil` if the option is not given.
    mutating func number(of option: OptionName, in range: ClosedRange<Int>) throws(UsageError) -> Int? {
        guard let text = try value(of: option) else { return nil }
        return try Self.number(text, of: option, in: range)
    }

    /// Parses the integer of an option.
    static func number(
        _ text: String, of option: OptionName, in range: ClosedRange<Int>
    ) throws(UsageError) -> Int {
        guard let number = Int(text), range.contains(number), !text.hasPrefix("+") else {
            throw UsageError("\(option): expected a number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }
}

extension UsageError {
    /// Parses an option's value. The option's name precedes the error's message.
    static func parsing<Value>(_ option: OptionName, _ value: () throws -> Value) throws(UsageError) -> Value {
        try parsing(option.description, value)
    }

    /// Parses a value.
    ///
    /// - Parameter source: The text that precedes the error's message. The library's errors omit secrets.
    /// - Throws: `UsageError` for each error that the closure throws.
    static func parsing<Value>(_ source: String, _ value: () throws -> Value) throws(UsageError) -> Value {
        do {
            return try value()
        } catch {
            throw UsageError("\(source): \(error)")
        }
    }
}

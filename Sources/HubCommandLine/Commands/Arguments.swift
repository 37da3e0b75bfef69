import HubText

/// A command-line parser that removes words as it recognizes them.
///
/// Options are accepted in any order: `--port 8080`, `--port=8080`, `--live`. Remaining words are operands, which ``finish()``
/// rejects. All words after `--` are operands.
package struct Arguments {
    private var words: [String]
    private var wordsAfterDashes: [String] = []
    /// The action of the command; `nil` if it has none, or before ``action(of:)``.
    private var action: String?

    /// Creates a parser for the words after the program's name.
    package init(_ words: [String]) {
        self.words = words
        if let dashes = words.firstIndex(of: "--") {
            self.words = Array(words[..<dashes])
            wordsAfterDashes = Array(words[(dashes + 1)...])
        }
    }

    /// Removes and returns the first word, unless it is an option.
    package mutating func subcommand() -> String? {
        guard let first = words.first, !first.hasPrefix("-") else { return nil }
        return words.removeFirst()
    }

    /// Removes the first word and returns the command's action that it names; `nil` if the command needs none and the word is
    /// missing.
    ///
    /// - Throws: ``UsageError`` for another word, or for a missing one.
    package mutating func action(of command: Command) throws(UsageError) -> String? {
        guard let actions = command.actions else { return nil }
        let allowed = "(allowed: \(actions.list.map(\.name).joined(separator: ", ")))"
        guard let word = subcommand() else {
            if actions.isRequired { throw UsageError("missing \(actions.noun) \(allowed)") }
            return nil
        }
        let found = actions.list.first { $0.names.contains { $0.hasSameBytes(as: word) } }
        guard let found else {
            let suggestion = Suggestion.text(for: word, among: actions.list.flatMap(\.names))
            throw UsageError("unknown \(actions.noun): \(Self.quoted(word))\(suggestion) \(allowed)")
        }
        action = found.name
        return found.name
    }

    /// Checks that all options are a command's, and replaces their other names by the first one.
    ///
    /// - Throws: ``UsageError`` for an unknown option, a missing value, a value that is not one of the option's choices, or a value for
    ///   an option without one.
    package mutating func check(against command: Command) throws(UsageError) {
        var rest = words[...]
        var checked: [String] = []
        while let word = rest.popFirst() {
            guard word.utf8.first == UInt8(ascii: "-"), word != "-" else {
                checked.append(word)
                continue
            }
            let parts = word.utf8.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            let name = String(Substring(parts[0]))
            guard let option = command.options.first(where: { $0.names.contains(name) }) else {
                let suggestion = Suggestion.text(for: name, among: command.options.map(\.name))
                throw UsageError("unknown option: \(Self.quoted(name))\(suggestion)")
            }
            if option.value == nil {
                guard parts.count == 1 else { throw UsageError("\(option.name) accepts no value") }
                checked.append(option.name)
            } else if parts.count == 1, option.isValueOptional {
                checked.append(option.name)
            } else {
                guard let value = parts.count > 1 ? String(Substring(parts[1])) : rest.popFirst(),
                    parts.count > 1 || !value.utf8.starts(with: "--".utf8)
                else { throw UsageError("\(option.name) requires a value") }
                if case .choices(let names) = option.kind, !names.contains(value) {
                    let last = names.count > 1 ? " or \(names[names.count - 1])" : ""
                    let others = names.prefix(max(1, names.count - 1)).joined(separator: ", ")
                    throw UsageError("\(option.name): expected \(others)\(last)")
                }
                checked.append("\(option.name)=\(value)")
            }
        }
        words = checked
    }

    /// Removes an option without a value, and returns whether it was given under any of its names.
    package mutating func flag(_ names: OptionName...) -> Bool {
        let count = words.count
        words.removeAll { names.contains(OptionName($0)) }
        return words.count < count
    }

    /// Removes an option and returns its value, or `nil` if the option is not given.
    ///
    /// - Throws: ``UsageError`` if the option has no value or is given more than once.
    package mutating func value(of option: OptionName) throws(UsageError) -> String? {
        guard let value = try firstValue(of: option) else { return nil }
        guard try firstValue(of: option) == nil else { throw UsageError("\(option) given more than once") }
        return value
    }

    /// Removes repeatable options and returns their values, in order.
    ///
    /// - Throws: ``UsageError`` if an option has no value.
    package mutating func values(of options: OptionName...) throws(UsageError) -> [(option: OptionName, value: String)]
    {
        var values: [(option: OptionName, value: String)] = []
        while let value = try firstValue(of: options) { values.append(value) }
        return values
    }

    private mutating func firstValue(of option: OptionName) throws(UsageError) -> String? {
        try firstValue(of: [option])?.value
    }

    private mutating func firstValue(of options: [OptionName]) throws(UsageError) -> (
        option: OptionName, value: String
    )? {
        for (index, word) in words.enumerated() {
            // Compare bytes, because a combining mark after the equals sign would form one `Character` with it.
            if let option = options.first(where: { word.utf8.starts(with: "\($0)=".utf8) }) {
                words.remove(at: index)
                return (option, String(Substring(word.utf8.dropFirst(option.description.utf8.count + 1))))
            }
            guard let option = options.first(where: { $0.description == word }) else { continue }
            guard words.indices.contains(index + 1), !words[index + 1].utf8.starts(with: "--".utf8) else {
                throw UsageError("\(word) requires a value")
            }
            defer { words.removeSubrange(index...index + 1) }
            return (option, words[index + 1])
        }
        return nil
    }

    /// Checks that no words remain.
    ///
    /// - Throws: ``UsageError`` for an unknown option or an operand.
    package mutating func finish() throws(UsageError) {
        guard let word = try operands().first else { return }
        throw UsageError("unexpected argument: \(Self.quoted(word))")
    }

    /// Removes and returns the remaining words. A single `-` is an operand.
    ///
    /// - Throws: ``UsageError`` for an unknown option.
    package mutating func operands() throws(UsageError) -> [String] {
        if let option = words.first(where: { $0.utf8.first == UInt8(ascii: "-") && $0 != "-" }) {
            let parts = option.utf8.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            if let action { throw UsageError("\(Substring(parts[0])): not supported for \(action)") }
            let problem = parts.count > 1 ? "unknown option, or option without a value" : "unknown option"
            throw UsageError("\(problem): \(Self.quoted(String(Substring(parts[0]))))")
        }
        defer { (words, wordsAfterDashes) = ([], []) }
        return words + wordsAfterDashes
    }

    /// Returns a word in quotation marks for an error message, or `(redacted)` if the word may be a secret.
    package static func quoted(_ word: String) -> String {
        let isPlain = word.utf8.allSatisfy {
            (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
                || $0 == UInt8(ascii: "-")
        }
        return isPlain && word.utf8.count <= 20 ? "\"\(word)\"" : "(redacted)"
    }

    /// Returns the name of a file for an error message; `nil` if it may be a secret.
    ///
    /// A name has an extension of letters, which no key, token or connection string ends with, and short parts.
    package static func fileName(_ path: String) -> String? {
        let parts = path.utf8.split(whereSeparator: { $0 == UInt8(ascii: "/") })
        let isPlain = parts.allSatisfy { part in
            part.count <= 32
                && part.allSatisfy {
                    $0.isASCIILetterOrDigit || [UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_")].contains($0)
                }
        }
        guard isPlain, let last = parts.last?.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false),
            last.count > 1, let suffix = last.last, (1...5).contains(suffix.count)
        else { return nil }
        return suffix.allSatisfy { Character(Unicode.Scalar($0)).isLetter } ? path : nil
    }
}

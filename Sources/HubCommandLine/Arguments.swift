/// What stands on a command line, taken off word by word.
///
/// Options are taken in any order: `--port 8080`, `--port=8080`, `--live`. What nobody takes is an error at the end.
package struct Arguments {
    private var words: [String]

    /// The words behind the program's name.
    package init(_ words: [String]) {
        self.words = words
    }

    /// Takes the first word, if it is a subcommand and not an option.
    package mutating func subcommand() -> String? {
        guard let first = words.first, !first.hasPrefix("-") else { return nil }
        return words.removeFirst()
    }

    /// Takes an option without a value, under any of its names.
    package mutating func flag(_ names: String...) -> Bool {
        let count = words.count
        words.removeAll { names.contains($0) }
        return words.count < count
    }

    /// Takes an option's value.
    ///
    /// - Throws: ``UsageError`` if the option has no value, or stands there twice.
    package mutating func value(of option: String) throws(UsageError) -> String? {
        guard let value = try firstValue(of: option) else { return nil }
        guard try firstValue(of: option) == nil else { throw UsageError("\(option) is there twice") }
        return value
    }

    private mutating func firstValue(of option: String) throws(UsageError) -> String? {
        if let index = words.firstIndex(where: { $0.hasPrefix(option + "=") }) {
            return String(words.remove(at: index).dropFirst(option.count + 1))
        }
        guard let index = words.firstIndex(of: option) else { return nil }
        guard words.indices.contains(index + 1), !words[index + 1].hasPrefix("--") else {
            throw UsageError("\(option) needs a value")
        }
        defer { words.removeSubrange(index...index + 1) }
        return words[index + 1]
    }

    /// Makes sure that nothing is left.
    package func finish() throws(UsageError) {
        guard let word = words.first else { return }
        throw UsageError(word.hasPrefix("-") ? "the option \(word) is unknown" : "the argument \(word) is one too many")
    }
}

/// A command line, or a setting that it relies on, that is not as it should be.
package struct UsageError: Error, Hashable, CustomStringConvertible {
    /// What is wrong, in one line.
    package let description: String

    /// An error with a text for the user.
    package init(_ description: String) {
        self.description = description
    }
}

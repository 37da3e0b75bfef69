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
        throw UsageError(
            word.hasPrefix("-")
                ? "the option \(Self.quoted(word)) is unknown" : "the argument \(Self.quoted(word)) is one too many")
    }

    /// A word of the command line for an error's text, if it can be no secret that was put in the wrong place.
    package static func quoted(_ word: String) -> String {
        let isPlain = word.utf8.allSatisfy {
            (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
                || $0 == UInt8(ascii: "-")
        }
        return isPlain && word.utf8.count <= 20 ? "\"\(word)\"" : "(not shown)"
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

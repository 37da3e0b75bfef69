/// The words of a command line, taken one by one.
///
/// Options are taken in any order: `--port 8080`, `--port=8080`, `--live`. Words that remain are operands, or errors in
/// ``finish()``; all words after `--` are operands.
package struct Arguments {
    private var words: [String]
    private var wordsAfterDashes: [String] = []

    /// Creates arguments from the words after the program's name.
    package init(_ words: [String]) {
        self.words = words
        if let dashes = words.firstIndex(of: "--") {
            self.words = Array(words[..<dashes])
            wordsAfterDashes = Array(words[(dashes + 1)...])
        }
    }

    /// Takes the first word, unless it is an option.
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
    /// - Throws: ``UsageError`` if the option has no value, or is given more than once.
    package mutating func value(of option: String) throws(UsageError) -> String? {
        guard let value = try firstValue(of: option) else { return nil }
        guard try firstValue(of: option) == nil else { throw UsageError("\(option) is there twice") }
        return value
    }

    /// Takes the values of repeatable options, in order.
    package mutating func values(of options: String...) throws(UsageError) -> [(option: String, value: String)] {
        var values: [(option: String, value: String)] = []
        while let value = try firstValue(of: options) { values.append(value) }
        return values
    }

    private mutating func firstValue(of option: String) throws(UsageError) -> String? {
        try firstValue(of: [option])?.value
    }

    private mutating func firstValue(of options: [String]) throws(UsageError) -> (option: String, value: String)? {
        for (index, word) in words.enumerated() {
            // Compared as bytes: a combining mark after the equals sign would form one `Character` with it.
            if let option = options.first(where: { word.utf8.starts(with: "\($0)=".utf8) }) {
                words.remove(at: index)
                return (option, String(Substring(word.utf8.dropFirst(option.utf8.count + 1))))
            }
            guard options.contains(word) else { continue }
            guard words.indices.contains(index + 1), !words[index + 1].utf8.starts(with: "--".utf8) else {
                throw UsageError("\(word) needs a value")
            }
            defer { words.removeSubrange(index...index + 1) }
            return (word, words[index + 1])
        }
        return nil
    }

    /// Checks that no word is left.
    package mutating func finish() throws(UsageError) {
        guard let word = try operands().first else { return }
        throw UsageError("the argument \(Self.quoted(word)) is one too many")
    }

    /// Takes the remaining words, which must not be options. A single `-` is an operand.
    package mutating func operands() throws(UsageError) -> [String] {
        if let option = words.first(where: { $0.utf8.first == UInt8(ascii: "-") && $0 != "-" }) {
            let parts = option.utf8.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            throw UsageError(
                "the option \(Self.quoted(String(Substring(parts[0])))) is unknown"
                    + (parts.count > 1 ? ", or has no value" : ""))
        }
        defer { (words, wordsAfterDashes) = ([], []) }
        return words + wordsAfterDashes
    }

    /// A word of the command line for an error message, unless it may be a secret.
    package static func quoted(_ word: String) -> String {
        let isPlain = word.utf8.allSatisfy {
            (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
                || $0 == UInt8(ascii: "-")
        }
        return isPlain && word.utf8.count <= 20 ? "\"\(word)\"" : "(not shown)"
    }
}

/// An invalid command line or setting.
package struct UsageError: Error, Hashable, CustomStringConvertible {
    package let description: String

    /// Creates an error from its message.
    package init(_ description: String) {
        self.description = description
    }
}

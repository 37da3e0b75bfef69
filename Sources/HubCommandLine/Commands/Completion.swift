/// A shell with completions.
enum Shell: String, CaseIterable {
    case bash, zsh, fish
}

/// A tool's completions, as a script for a shell.
///
/// The word after the tool's name selects the subcommand, and the word after that an action, if the subcommand has any.
struct Completion {
    let tool: String
    let commands: [Command]
    /// The options without a subcommand.
    let options: [CommandOption]

    /// Returns the script for a shell.
    func script(for shell: Shell) -> String {
        switch shell {
        case .bash: bash
        case .zsh: zsh
        case .fish: fish
        }
    }

    /// The name of the function that offers the completions.
    var function: String { "_\(tool)" }

    /// Returns a string in single quotes for bash and zsh.
    static func quoted(_ text: String) -> String {
        "'" + escaped(text) { $0 == "'" ? "'\\''" : nil } + "'"
    }

    /// Returns a string in which some characters are replaced.
    static func escaped(_ text: String, _ replacement: (Character) -> String?) -> String {
        text.map { replacement($0) ?? String($0) }.joined()
    }

    /// Returns a string's first sentence.
    static func firstSentence(_ text: String) -> String {
        let words = text.split(separator: " ")
        let end = words.firstIndex { $0.last == "." } ?? words.count - 1
        return words.prefix(end + 1).joined(separator: " ")
    }
}

extension Command {
    /// The names of the actions with files as operands.
    var actionsWithFiles: [String] {
        actions?.list.filter { $0.operand.isFile }.flatMap(\.names) ?? []
    }
}

extension ValueKind {
    var isFile: Bool { if case .file = self { true } else { false } }
}

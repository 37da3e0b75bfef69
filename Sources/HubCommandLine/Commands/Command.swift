/// A subcommand's name, texts and options. Its help is generated from them, and it accepts only these options.
package struct Command: Sendable {
    /// The name on the command line.
    package let name: String
    /// The purpose in one sentence, for the list of subcommands.
    package let summary: String
    /// The purpose in more detail; the summary if `nil`.
    let overview: String?
    /// The forms of the command line, without the tool's name.
    let usage: [String]
    /// The paragraphs after the usage.
    let discussion: [String]
    let groups: [OptionGroup]
    let sections: [Section]

    /// Options under a common title.
    package struct OptionGroup: Sendable {
        let title: String
        let options: [CommandOption]

        /// Creates a group.
        package init(_ options: [CommandOption], title: String = "OPTIONS") {
            (self.options, self.title) = (options, title)
        }
    }

    /// A part of the help after the options.
    package struct Section: Sendable {
        let title: String
        let content: Content

        enum Content: Sendable {
            case text(String)
            case list([(term: String, text: String)])
        }

        /// Creates a section of one paragraph.
        package init(_ title: String, text: String) {
            (self.title, content) = (title, .text(text))
        }

        /// Creates the section that explains the exit statuses, from 0 on.
        package init(exitStatus: [(ExitStatus, String)]) {
            (title, content) = ("EXIT STATUS", .list(exitStatus.map { (String($0.rawValue), $1) }))
        }
    }

    /// Creates a command.
    ///
    /// - Parameters:
    ///   - usage: The forms of the command line after the command's name.
    ///   - groups: The options. `--help` is added to the first group.
    package init(
        _ name: String, summary: String, overview: String? = nil, usage: [String], discussion: [String] = [],
        groups: [OptionGroup], sections: [Section]
    ) {
        self.name = name
        self.summary = summary
        self.overview = overview
        self.usage = usage
        self.discussion = discussion
        let first = groups.prefix(1).map { OptionGroup($0.options + [.help], title: $0.title) }
        self.groups = first + groups.dropFirst()
        self.sections = sections
    }

    var options: [CommandOption] { groups.flatMap(\.options) }
}

/// An option of a command.
package struct CommandOption: Sendable {
    /// The names. The first one is used in code and in messages.
    let names: [String]
    /// The placeholder of the value; `nil` for an option without a value.
    let value: String?
    let help: String

    /// Creates an option.
    package init(_ names: String..., value: String? = nil, help: String) {
        (self.names, self.value, self.help) = (names, value, help)
    }

    /// The name that is used in code and in messages.
    var name: String { names[0] }

    static let help = CommandOption("--help", "-h", help: "Show this help.")
}

/// A subcommand's name, texts and options. Its help, manual page and completions are generated from them, and it accepts only these
/// options.
package struct Command: Sendable {
    /// The name on the command line.
    package let name: String
    /// The purpose in one sentence, for the list of subcommands.
    let summary: String
    /// The purpose in more detail.
    let overview: String
    /// The forms of the command line after the command's name.
    let usage: [String]
    /// The paragraphs after the usage.
    let discussion: [String]
    /// The words that the first operand can be; `nil` if it can be any text.
    let actions: Actions?
    /// The values of the operands, except for actions that have their own.
    let operand: ValueKind
    let groups: [OptionGroup]
    /// The parts of the help after the options.
    private let notes: [Section]

    /// Options under a common title.
    package struct OptionGroup: Sendable {
        let title: String
        let options: [CommandOption]

        /// The title of the group that contains `--help`.
        private static let mainTitle = "OPTIONS"

        /// Creates a group.
        package init(_ options: [CommandOption], title: String = mainTitle) {
            (self.options, self.title) = (options, title)
        }

        /// The group with the option `--help`, if it belongs to this group.
        fileprivate var withHelp: OptionGroup {
            title == Self.mainTitle ? OptionGroup(options + [.help], title: title) : self
        }
    }

    /// The words that the first operand can be.
    package struct Actions: Sendable {
        /// A word, and the values of the operands after it.
        package struct Action: Sendable {
            let name: String
            /// The other names, which are accepted but not offered.
            let aliases: [String]
            let help: String
            let operand: ValueKind

            /// Creates an action.
            package init(_ name: String, aliases: [String] = [], operand: ValueKind = .text, help: String) {
                (self.name, self.aliases, self.operand, self.help) = (name, aliases, operand, help)
            }

            /// All names.
            var names: [String] { [name] + aliases }
        }

        /// The word for an action in messages, such as `format`.
        let noun: String
        let isRequired: Bool
        let list: [Action]

        /// Creates a list of actions.
        package init(_ list: [Action], noun: String = "action", isRequired: Bool = true) {
            (self.list, self.noun, self.isRequired) = (list, noun, isRequired)
        }
    }

    /// A titled part of the help.
    package struct Section: Sendable {
        let title: String
        let content: Content

        enum Content: Sendable {
            case text(String)
            case list([(term: String, text: String)])
            case lines([String])
        }

        private init(_ title: String, _ content: Content) {
            (self.title, self.content) = (title, content)
        }

        /// Creates a section of one paragraph.
        package init(_ title: String, text: String) { self.init(title, .text(text)) }

        /// Creates a section with a list.
        package init(_ title: String, list: [(term: String, text: String)]) { self.init(title, .list(list)) }

        /// Creates a section with lines that are shown unchanged.
        package init(_ title: String, lines: String) {
            self.init(title, .lines(lines.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)))
        }

        /// Creates the section that explains the exit statuses.
        ///
        /// - Parameter signal: An addition to the text about signals; `nil` for no such text.
        package init(exitStatus: [(ExitStatus, String)], signal: String? = nil) {
            let signal = signal.map { [("128 + N", "ended by signal N (130 for an interrupt)" + $0)] } ?? []
            self.init("EXIT STATUS", list: exitStatus.map { (String($0.rawValue), $1) } + signal)
        }
    }

    /// Creates a command.
    ///
    /// - Parameters:
    ///   - overview: The purpose in more detail; the summary if `nil`.
    ///   - usage: The forms of the command line after the command's name.
    ///   - groups: The options. `--help` is added to the group `OPTIONS`.
    ///   - sections: The parts of the help after the options.
    package init(
        _ name: String, summary: String, overview: String? = nil, usage: [String], discussion: [String] = [],
        actions: Actions? = nil, operand: ValueKind = .text, groups: [OptionGroup], sections: [Section]
    ) {
        self.name = name
        self.summary = summary
        self.overview = overview ?? summary
        self.usage = usage
        self.discussion = discussion
        self.actions = actions
        self.operand = operand
        self.groups = groups.map(\.withHelp)
        notes = sections
    }

    var options: [CommandOption] { groups.flatMap(\.options) }

    /// The parts of the help after the discussion.
    var sections: [Section] {
        let actions = actions.map { [Section($0.noun.uppercased() + "S", list: $0.list.map { ($0.name, $0.help) })] }
        return (actions ?? []) + groups.map { Section($0.title, list: $0.options.map { ($0.label, $0.help) }) } + notes
    }
}

/// The values of an option or operand.
package enum ValueKind: Sendable {
    /// Any text, which cannot be completed.
    case text
    /// The path of a file or directory.
    case file
    /// One of some words. Other words are rejected.
    case choices([String])

    /// Returns the choices of an enumeration.
    package static func choices<Choice: CaseIterable & RawRepresentable<String>>(of type: Choice.Type) -> ValueKind {
        .choices(type.allCases.map(\.rawValue))
    }
}

/// An option of a command.
package struct CommandOption: Sendable {
    /// The names. The first one is used in code and in messages.
    let names: [String]
    /// The placeholder of the value; `nil` for an option without a value.
    let value: String?
    let kind: ValueKind
    /// Whether the option can be given without its value. Then, the value must follow an equals sign.
    let isValueOptional: Bool
    let help: String

    /// Creates an option.
    ///
    /// - Parameter kind: The values; by default, files if the placeholder ends with `FILE` or `PATH`, else any text.
    package init(
        _ names: OptionName..., value: String? = nil, kind: ValueKind? = nil, isValueOptional: Bool = false,
        help: String
    ) {
        let isFile = ["FILE", "PATH"].contains(value?.suffix(4) ?? "")
        (self.names, self.value, self.kind) = (names.map(\.description), value, kind ?? (isFile ? .file : .text))
        (self.isValueOptional, self.help) = (isValueOptional, help)
    }

    /// The name that is used in code and in messages.
    var name: String { names[0] }

    /// The names and the placeholder, such as `-h, --help` or `--hub NAME`.
    var label: String {
        let value = value.map { isValueOptional ? "[=\($0)]" : " \($0)" } ?? ""
        return names.sorted { $0.count < $1.count }.joined(separator: ", ") + value
    }

    static let help = CommandOption(.help, .briefHelp, help: "Show this help.")
}

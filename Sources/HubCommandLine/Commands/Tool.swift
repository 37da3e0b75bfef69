import HubText

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A command-line tool: its texts and subcommands, and the command lines that all tools share.
package struct Tool: Sendable {
    let name: String
    private let overview: String
    /// The paragraphs of the overview after the usage.
    private let discussion: [String]
    /// The parts of the overview after the options.
    private let notes: [Command.Section]
    /// The subcommands, including `help`.
    let commands: [Command]

    /// Creates a tool.
    ///
    /// - Parameter sections: The parts of the overview after the options.
    package init(
        _ name: String, overview: String, discussion: [String], commands: [Command], sections: [Command.Section]
    ) {
        (self.name, self.overview, self.discussion, notes) = (name, overview, discussion, sections)
        let completion = Command(
            "completion", summary: "Print a shell's completions.", usage: ["SHELL"],
            actions: .init(Shell.allCases.map { .init($0.rawValue, help: $0.help(for: name)) }, noun: "shell"),
            groups: [.init([])], sections: [])
        let topics = (commands + [completion]).map { Command.Actions.Action($0.name, help: $0.summary) }
        let help = Command(
            "help",
            summary: """
                Show a subcommand's help: \(name) help \(topics[0].name). With --man, print a manual page: \(name) help --man | man -l -.
                """, usage: ["[--man] [SUBCOMMAND]"],
            actions: .init(topics, noun: "subcommand", isRequired: false), groups: [.init([Self.man])], sections: [])
        self.commands = commands + [completion, help]
    }

    /// The version of all tools.
    package static let version = "0.9.0"
    /// The version's date, for manual pages.
    private static let date = "2026-11-29"
    private static let man = CommandOption(.man, help: "Print a manual page.")
    private static let options = [CommandOption(.version, .briefVersion, help: "Show the version."), .help]

    /// Handles help, completions and the version.
    ///
    /// - Returns: The subcommand to run with its arguments, or `nil` if the command line is handled.
    /// - Throws: ``UsageError`` or `Console.WriteError`.
    package func parse(_ words: [String]) throws -> (command: Command, arguments: Arguments)? {
        var arguments = Arguments(words)
        guard let word = arguments.subcommand() else {
            try withoutSubcommand(&arguments)
            return nil
        }
        let command = try command(named: word)
        let wantsHelp = arguments.flag(.help, .briefHelp)
        if command.name == "help" {
            try arguments.check(against: command)
            let wantsPage = arguments.flag(.man)
            let subject = try arguments.subcommand().map { name throws(UsageError) in try self.command(named: name) }
            try arguments.finish()
            if wantsPage {
                try Console.result { _ in manualPage(of: subject) }
            } else {
                try showHelp(on: subject ?? command)
            }
            return nil
        }
        if wantsHelp {
            try showHelp(on: command)
            return nil
        }
        try arguments.check(against: command)
        guard command.name == "completion" else { return (command, arguments) }
        guard let shell = try arguments.action(of: command).flatMap(Shell.init(rawValue:)) else { return nil }
        try arguments.finish()
        try Console.result { _ in
            Completion(tool: name, commands: commands, options: Self.options).script(for: shell)
        }
        return nil
    }

    /// Reports why a command line failed: on standard error or, with `--json`, as an object with `code` and `message` on standard output.
    ///
    /// - Parameters:
    ///   - status: The exit status.
    ///   - code: A name of the failure for programs.
    /// - Returns: The exit status of the tool.
    package func fail(_ words: [String], _ error: any Error, _ status: ExitStatus, code: String) -> ExitStatus {
        if let error = error as? Console.WriteError, error.isClosedPipe { return ExitStatus(signal: SIGPIPE) }
        var arguments = Arguments(words)
        Console.failure(error, of: name, code: code, asJSON: arguments.flag(.json))
        return status
    }

    private func withoutSubcommand(_ arguments: inout Arguments) throws {
        let wantsHelp = arguments.flag(.help, .briefHelp)
        let wantsVersion = arguments.flag(.version, .briefVersion)
        try arguments.finish()
        if wantsHelp {
            try showHelp(topic)
        } else if wantsVersion {
            try Console.result(["\(name) \(Self.version)"])
        } else {
            throw UsageError("missing subcommand (see \(name) --help)")
        }
    }

    private func command(named name: String) throws(UsageError) -> Command {
        guard let command = commands.first(where: { $0.name.hasSameBytes(as: name) }) else {
            let suggestion = Suggestion.text(for: name, among: commands.map(\.name))
            let hint = suggestion.isEmpty ? " (see \(self.name) --help)" : suggestion
            throw UsageError("unknown subcommand: \(Arguments.quoted(name))\(hint)")
        }
        return command
    }

    /// Shows a subcommand's help. The help of `help` is the overview.
    private func showHelp(on command: Command) throws(Console.WriteError) {
        try showHelp(command.name == "help" ? topic : command.topic(of: name))
    }

    private func showHelp(_ topic: HelpTopic) throws(Console.WriteError) {
        try Console.result { CommandHelp(style: $0).text(topic) }
    }

    /// Returns the manual page of a subcommand or, with all subcommands, of the tool.
    private func manualPage(of command: Command?) -> String {
        let source = (text: "\(name) \(Self.version)", date: Self.date)
        var page = ManualPage(command?.topic(of: name) ?? topic, source: source)
        if command == nil { for command in commands { page.add(command.topic(of: name)) } }
        return page.text
    }

    /// The texts of the overview.
    private var topic: HelpTopic {
        let lists: [Command.Section] = [
            .init("SUBCOMMANDS", list: commands.map { ($0.name, $0.summary) }),
            .init("OPTIONS", list: Self.options.map { ($0.label, $0.help) }),
        ]
        return HelpTopic(
            name: name, summary: overview, overview: overview, usage: ["<subcommand> [options]"],
            discussion: discussion,
            sections: lists + notes)
    }
}

extension Arguments {
    /// Shows the help or the version of a tool without subcommands, if an option asks for it.
    ///
    /// - Returns: Whether the command line is handled.
    package mutating func showsHelp(_ help: String, of tool: String) -> Bool {
        if flag(.help, .briefHelp) {
            Console.output(text: help)
        } else if flag(.version) {
            Console.output("\(tool) \(Tool.version)")
        } else {
            return false
        }
        return true
    }
}

extension Shell {
    /// The text in the help: the command that installs a tool's completions.
    fileprivate func help(for tool: String) -> String {
        switch self {
        case .bash: "Add to ~/.bashrc: source <(\(tool) completion bash)"
        case .zsh: "Add to ~/.zshrc, after compinit: source <(\(tool) completion zsh)"
        case .fish: "Run once: \(tool) completion fish > ~/.config/fish/completions/\(tool).fish"
        }
    }
}

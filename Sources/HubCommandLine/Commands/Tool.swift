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
    private let version: String
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
        _ name: String, version: String, overview: String, discussion: [String], commands: [Command],
        sections: [Command.Section]
    ) {
        (self.name, self.version) = (name, version)
        (self.overview, self.discussion, notes) = (overview, discussion, sections)
        let topics = commands.map(\.name)
        let help = Command(
            "help", summary: "Show a subcommand's help: \(name) help \(topics[0]).", usage: ["[SUBCOMMAND]"],
            operand: .choices(topics), groups: [.init([])], sections: [])
        self.commands = commands + [help]
    }

    static let options = [CommandOption("--version", "-V", help: "Show the version."), .help]

    /// Handles help and the version.
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
        let wantsHelp = arguments.flag("--help", "-h")
        if command.name == "help" {
            try arguments.check(against: command)
            let topic = arguments.subcommand()
            try arguments.finish()
            try showHelp(on: topic.map { topic throws(UsageError) in try self.command(named: topic) } ?? command)
        } else if wantsHelp {
            try showHelp(on: command)
        } else {
            try arguments.check(against: command)
            return (command, arguments)
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
        Console.failure(error, of: name, code: code, asJSON: arguments.flag("--json"))
        return status
    }

    private func withoutSubcommand(_ arguments: inout Arguments) throws {
        let wantsHelp = arguments.flag("--help", "-h")
        let wantsVersion = arguments.flag("--version", "-V")
        try arguments.finish()
        if wantsHelp {
            try Console.result(help)
        } else if wantsVersion {
            try Console.result(["\(name) \(version)"])
        } else {
            throw UsageError("missing subcommand (see \(name) --help)")
        }
    }

    private func command(named name: String) throws(UsageError) -> Command {
        guard let command = commands.first(where: { $0.name.utf8.elementsEqual(name.utf8) }) else {
            let suggestion = Suggestion.text(for: name, among: commands.map(\.name))
            let hint = suggestion.isEmpty ? " (see \(self.name) --help)" : suggestion
            throw UsageError("unknown subcommand: \(Arguments.quoted(name))\(hint)")
        }
        return command
    }

    /// Shows a subcommand's help. The help of `help` is the overview.
    private func showHelp(on command: Command) throws(Console.WriteError) {
        if command.name == "help" { return try Console.result(help) }
        try Console.result { CommandHelp(style: $0).text(command, of: name) }
    }

    private func help(_ style: TextStyle) -> String {
        CommandHelp(style: style).text(
            name, overview: overview, usage: ["<subcommand> [options]"], discussion, sections)
    }

    private var sections: [Command.Section] {
        [
            .init("SUBCOMMANDS", list: commands.map { ($0.name, $0.summary) }),
            .init("OPTIONS", list: Self.options.map { ($0.label, $0.help) }),
        ] + notes
    }
}

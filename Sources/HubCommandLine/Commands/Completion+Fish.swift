extension Completion {
    /// The script for fish, to be sourced or installed in its directory of completions.
    var fish: String {
        """
        # Completions of \(tool) for fish: \(tool) completion fish | source
        function __\(tool)_next -d 'Whether the words before the cursor are exactly these arguments'
            set -l words (commandline -opc)
            set -e words[1]
            test "$words" = "$argv"
        end
        function __\(tool)_in -d 'Whether the words before the cursor start with these arguments'
            set -l words (commandline -opc)
            set -e words[1]
            set -l start $words[1..(count $argv)]
            test "$start" = "$argv"
        end
        complete -c \(tool) -f
        \((fishOptions(options, in: "next") + commands.flatMap(fishLines)).joined(separator: "\n"))
        """
    }

    /// Returns the lines of a command.
    private func fishLines(of command: Command) -> [String] {
        let name = command.name
        var lines = [fish("next", "-a \(name)", command.summary)]
        lines += fishOptions(command.options, in: "in \(name)")
        lines += command.actions?.list.map { fish("next \(name)", "-a \($0.name)", $0.help) } ?? []
        lines += command.actionsWithFiles.map { fish("in \(name) \($0)", "-F") }
        if command.operand.isFile { lines.append(fish("in \(name)", "-F")) }
        return lines
    }

    private func fishOptions(_ options: [CommandOption], in condition: String) -> [String] {
        options.map { option in
            let names = option.names.map { $0.hasPrefix("--") ? "-l \($0.dropFirst(2))" : "-s \($0.dropFirst())" }
            let value =
                switch option.kind {
                case _ where option.value == nil || option.isValueOptional: ""
                case .text: " -x"
                case .file: " -r -F"
                case .choices(let names): " -x -a \(Self.fishQuoted(names.joined(separator: " ")))"
                }
            return fish(condition, names.joined(separator: " ") + value, option.help)
        }
    }

    /// Returns a line that offers something under a condition.
    private func fish(_ condition: String, _ offer: String, _ help: String? = nil) -> String {
        let text = help.map { " -d " + Self.fishQuoted(Self.firstSentence($0)) } ?? ""
        return "complete -c \(tool) -n '__\(tool)_\(condition)' \(offer)\(text)"
    }

    private static func fishQuoted(_ text: String) -> String {
        "'" + escaped(text) { "'\\".contains($0) ? "\\\($0)" : nil } + "'"
    }
}

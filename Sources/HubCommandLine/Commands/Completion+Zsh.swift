extension Completion {
    /// The script for zsh, to be sourced or to be installed as a function in a directory of `fpath`.
    var zsh: String {
        """
        #compdef \(tool)
        # Completions of \(tool) for zsh: source <(\(tool) completion zsh)
        \(function)() {
            local name= operands=('*: : ')
            if (( CURRENT > 2 )); then
                name=$words[2]
                shift words
                (( CURRENT-- ))
            elif [[ $words[2] != -* ]]; then
                \(Self.description("subcommand", commands.map { ($0.name, $0.summary) }, indent: "        "))
                return
            fi
            case $name in
        \(([Self.zshCase("''", [], options)] + commands.map(Self.zshCase)).joined(separator: "\n"))
            esac
        }
        if [[ $funcstack[1] == \(function) ]]; then
            \(function) "$@"
        else
            compdef \(function) \(tool)
        fi
        """
    }

    /// Returns the case of a command.
    private static func zshCase(of command: Command) -> String {
        var lines: [String] = []
        if let actions = command.actions {
            let items = actions.list.map { ($0.name, $0.help) }
            lines += [
                "if (( CURRENT == 2 )) && [[ $words[2] != -* ]]; then",
                "    " + description(actions.noun, items, indent: "            "), "    return", "fi",
            ]
        }
        if command.operand.isFile { lines.append("operands=('*:file:_files')") }
        if !command.actionsWithFiles.isEmpty {
            let names = command.actionsWithFiles.joined(separator: "|")
            lines.append("[[ $words[2] != (\(names)) ]] || operands=('*:file:_files')")
        }
        return zshCase(command.name, lines, command.options)
    }

    /// Returns a case that offers options after other lines.
    private static func zshCase(_ pattern: String, _ lines: [String], _ options: [CommandOption]) -> String {
        let arguments = ["_arguments -S $operands"] + specifications(options).map { "    " + quoted($0) }
        return
            (["    \(pattern))"]
            + (lines + [arguments.joined(separator: " \\\n        "), ";;"]).map { "        " + $0 })
            .joined(separator: "\n")
    }

    /// Returns a call that offers names with their texts.
    private static func description(_ noun: String, _ items: [(name: String, text: String)], indent: String) -> String {
        let items = items.map { name, text in
            indent + "    " + quoted("\(name):\(firstSentence(text))")
        }
        return """
            local -a items=(
            \(items.joined(separator: "\n"))
            \(indent))
            \(indent)_describe \(noun) items
            """
    }

    /// Returns the arguments that describe options.
    private static func specifications(_ options: [CommandOption]) -> [String] {
        options.flatMap { option in
            option.names.map { name in
                let text = "[\(escaped(firstSentence(option.help), "\\[]:"))]"
                guard let value = option.value else {
                    let others = option.names.count > 1 ? "(\(option.names.joined(separator: " ")))" : ""
                    return others + name + text
                }
                let action =
                    switch option.kind {
                    case .text: " "
                    case .file: "_files"
                    case .choices(let names): "(\(names.joined(separator: " ")))"
                    }
                let sign = option.isValueOptional ? "=-" : "="
                return "*\(name)\(sign)\(text)\(option.isValueOptional ? "::" : ":")\(escaped(value, "\\:")):\(action)"
            }
        }
    }

    /// Returns a string in which some characters follow a backslash.
    private static func escaped(_ text: String, _ characters: String) -> String {
        escaped(text) { characters.contains($0) ? "\\\($0)" : nil }
    }
}

extension Completion {
    /// The script for bash, which divides `--option=value` into three words.
    var bash: String {
        """
        # Completions of \(tool) for bash: source <(\(tool) completion bash)
        \(function)() {
            local word=${COMP_WORDS[COMP_CWORD]} option=${COMP_WORDS[COMP_CWORD-1]} name= words= files=
            if [[ $word == '=' ]]; then
                word=
            elif [[ $option == '=' ]]; then
                option=${COMP_WORDS[COMP_CWORD-2]-}
            fi
            ((COMP_CWORD == 1)) || name=${COMP_WORDS[1]}
            [[ " ${COMP_WORDS[*]:0:COMP_CWORD} " != *' -- '* ]] || option=--
            COMPREPLY=()
            case "$name $option" in
        \(commands.flatMap(Self.bashValues).joined(separator: "\n"))
            *)
                if [[ $word == -* && $option != -- ]]; then
                    case $name in
                    '') words=\(Self.words(options.flatMap(\.names))) ;;
        \(commands.map { "            \($0.name)) words=\(Self.words($0.options.flatMap(\.names))) ;;" }.joined(separator: "\n"))
                    esac
                else
                    case "$name $COMP_CWORD ${COMP_WORDS[2]-}" in
                    ' '*) words=\(Self.words(commands.map(\.name))) ;;
        \(commands.flatMap(Self.bashOperands).joined(separator: "\n"))
                    esac
                fi
                ;;
            esac
            if [[ -z $files ]]; then
                COMPREPLY=($(compgen -W "$words" -- "$word"))
            elif ! compopt -o default 2> /dev/null; then
                local IFS=$'\\n'
                COMPREPLY=($(compgen -f -- "$word"))
            fi
        }
        complete -F \(function) \(tool)
        """
    }

    /// Returns the cases for the values of a command's options.
    private static func bashValues(of command: Command) -> [String] {
        command.options.filter { $0.value != nil && !$0.isValueOptional }.map { option in
            let reply =
                switch option.kind {
                case .text: "return"
                case .file: "files=1"
                case .choices(let names): "words=\(words(names))"
                }
            return "    \(quoted("\(command.name) \(option.name)"))) \(reply) ;;"
        }
    }

    /// Returns the cases for a command's operands.
    private static func bashOperands(of command: Command) -> [String] {
        let name = command.name
        let actions = command.actions.map { ["'\(name) 2 '*) words=\(words($0.list.map(\.name))) ;;"] } ?? []
        let files = command.operand.isFile ? ["'\(name) '*) files=1 ;;"] : []
        let later = command.actionsWithFiles.map { "'\(name) '*' \($0)') files=1 ;;" }
        return (actions + later + files).map { "            " + $0 }
    }

    private static func words(_ names: [String]) -> String { quoted(names.joined(separator: " ")) }
}

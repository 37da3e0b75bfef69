import Testing

@testable import HubCommandLine

@Suite struct CompletionTests {
    private static let completion = Completion(
        tool: "tool",
        commands: [
            Command(
                "serve", summary: "Serve it: a folder's files.", usage: ["ACTION"],
                actions: .init([
                    .init("all", operand: .file, help: "All [of it]: the user's."), .init("none", help: "None."),
                ]),
                groups: [
                    .init([
                        .init(
                            "--key", "-k", value: "[A:]FILE", help: #"The key's [path]: C:\keys. More, such as "x"."#),
                        .init("--tier", value: "TIER", kind: .choices(["free", "basic"]), help: "The tier."),
                        .init("--wait", value: "SPAN", isValueOptional: true, help: "Wait."),
                        .init("--name", value: "NAME", help: "A name"),
                    ])
                ], sections: [])
        ], options: [.init("--version", "-V", help: "Show the version.")])

    private func expect(_ shell: Shell, _ lines: [String], sourceLocation: SourceLocation = #_sourceLocation) {
        let script = Self.completion.script(for: shell).split(separator: "\n").map { $0.drop { $0 == " " } }
        for line in lines {
            #expect(script.contains(line[...]), "\(line)", sourceLocation: sourceLocation)
        }
    }

    @Test func `generates completions for bash`() {
        expect(
            .bash,
            [
                "'serve --key') files=1 ;;", "'serve --tier') words='free basic' ;;", "'serve --name') return ;;",
                "'') words='--version -V' ;;", "serve) words='--key -k --tier --wait --name --help -h' ;;",
                "' '*) words='serve' ;;", "'serve 2 '*) words='all none' ;;", "'serve '*' all') files=1 ;;",
                "complete -F _tool tool",
            ])
        #expect(!Self.completion.script(for: .bash).contains("'serve --wait')"))
    }

    @Test func `generates completions for zsh`() {
        expect(
            .zsh,
            [
                "#compdef tool", #"'serve:Serve it: a folder'\''s files.'"#, #"'all:All [of it]: the user'\''s.'"#,
                #"'*--key=[The key'\''s \[path\]\: C\:\\keys.]:[A\:]FILE:_files' \"#,
                #"'*-k=[The key'\''s \[path\]\: C\:\\keys.]:[A\:]FILE:_files' \"#,
                #"'*--tier=[The tier.]:TIER:(free basic)' \"#, #"'*--wait=-[Wait.]::SPAN: ' \"#,
                #"'*--name=[A name]:NAME: ' \"#, #"'(--help -h)--help[Show this help.]' \"#,
                "[[ $words[2] != (all) ]] || operands=('*:file:_files')",
            ])
    }

    @Test func `generates completions for fish`() {
        expect(
            .fish,
            [
                "complete -c tool -f", "complete -c tool -n '__tool_next' -l version -s V -d 'Show the version.'",
                #"complete -c tool -n '__tool_next' -a serve -d 'Serve it: a folder\'s files.'"#,
                #"complete -c tool -n '__tool_next serve' -a all -d 'All [of it]: the user\'s.'"#,
                #"complete -c tool -n '__tool_in serve' -l key -s k -r -F -d 'The key\'s [path]: C:\\keys.'"#,
                "complete -c tool -n '__tool_in serve' -l tier -x -a 'free basic' -d 'The tier.'",
                "complete -c tool -n '__tool_in serve' -l wait -d 'Wait.'",
                "complete -c tool -n '__tool_in serve' -l name -x -d 'A name'",
                "complete -c tool -n '__tool_in serve all' -F",
            ])
    }
}

/// The text for `--help`, in lines of at most 120 characters.
struct CommandHelp {
    let style: TextStyle

    private static let width = 120
    /// The maximum length of a list's term that shares a line with its text.
    private static let maximumTermLength = 40

    /// Returns the help on a topic.
    func text(_ topic: HelpTopic) -> String {
        let indent = "USAGE: \(topic.name) ".count
        let forms = topic.usage.map { "\(topic.name) " + Self.wrapped($0, indent: indent) }
        var parts = [
            titled("OVERVIEW:", Self.wrapped("OVERVIEW: \(topic.overview)")),
            titled("USAGE:", "USAGE: " + forms.joined(separator: "\n       ")),
        ]
        parts += topic.discussion.map { Self.wrapped($0) }
        parts += topic.sections.map { style.bold("\($0.title):") + "\n" + Self.text($0.content) }
        return parts.joined(separator: "\n\n")
    }

    private func titled(_ title: String, _ text: String) -> String {
        style.bold(title) + text.dropFirst(title.count)
    }

    private static func text(_ content: Command.Section.Content) -> String {
        switch content {
        case .text(let text): "  " + wrapped(text, indent: 2)
        case .lines(let lines): lines.map { $0.isEmpty ? "" : "  " + $0 }.joined(separator: "\n")
        case .list(let items): list(items)
        }
    }

    /// Returns terms and their texts in two columns. A long term has its own line.
    private static func list(_ items: [(term: String, text: String)]) -> String {
        let column = 4 + (items.map(\.term.count).filter { $0 <= maximumTermLength }.max() ?? 4)
        return items.map { term, text in
            let gap = column - 2 - term.count
            return "  " + term + (gap >= 2 ? spaces(gap) : "\n" + spaces(column)) + wrapped(text, indent: column)
        }.joined(separator: "\n")
    }

    /// Returns a string in lines, with spaces before all lines but the first.
    private static func wrapped(_ text: String, indent: Int = 0) -> String {
        TextLines.wrapped(text, width: width - indent).joined(separator: "\n" + spaces(indent))
    }

    private static func spaces(_ count: Int) -> String { String(repeating: " ", count: count) }
}

/// The lines of a string.
enum TextLines {
    /// Returns a string in lines of at most `width` characters. A longer word has its own line.
    static func wrapped(_ text: String, width: Int) -> [String] {
        var lines: [String] = []
        var line = ""
        for word in text.split(separator: " ") {
            if line.isEmpty {
                line += word
            } else if line.count + 1 + word.count > width {
                lines.append(line)
                line = String(word)
            } else {
                line += " " + word
            }
        }
        return lines + [line]
    }
}

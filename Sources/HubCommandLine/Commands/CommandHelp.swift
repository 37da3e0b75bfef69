extension Command {
    /// The maximum length of a line.
    static let width = 120

    /// Returns the text for `--help`.
    ///
    /// - Parameter tool: The name of the tool.
    package func help(of tool: String) -> String {
        var parts = [Self.wrapped("OVERVIEW: \(overview ?? summary)", indent: 0)]
        let start = "USAGE: "
        parts.append(
            usage.enumerated().map { index, form in
                let prefix = index == 0 ? start : String(repeating: " ", count: start.count)
                return Self.wrapped(
                    "\(tool) \(name) \(form)", indent: start.count + tool.count + name.count + 2, after: prefix)
            }.joined(separator: "\n"))
        parts += discussion.map { Self.wrapped($0, indent: 0) }
        parts += groups.map { Self.list($0.title, $0.options.map { ($0.label, $0.help) }) }
        parts += sections.map { section in
            switch section.content {
            case .text(let text): "\(section.title):\n" + Self.wrapped(text, indent: 2, after: "  ")
            case .list(let items): Self.list(section.title, items)
            }
        }
        return parts.joined(separator: "\n\n")
    }

    /// Returns a list of commands for an overview.
    package static func list(_ title: String, _ items: [(String, String)]) -> String {
        let column = 4 + (items.map(\.0.count).max() ?? 0)
        let lines = items.map { term, text in
            let label = "  " + term
            return wrapped(text, indent: column, after: label + String(repeating: " ", count: column - label.count))
        }
        return "\(title):\n" + lines.joined(separator: "\n")
    }

    /// Returns a string in lines of at most ``width`` characters.
    ///
    /// - Parameters:
    ///   - indent: The number of spaces before all lines but the first.
    ///   - prefix: The start of the first line.
    private static func wrapped(_ text: String, indent: Int, after prefix: String = "") -> String {
        var lines: [String] = []
        var line = prefix
        var isStart = true
        for word in text.split(separator: " ") {
            if !isStart, line.count + 1 + word.count > width {
                lines.append(line)
                line = String(repeating: " ", count: indent)
                isStart = true
            }
            line += (isStart ? "" : " ") + word
            isStart = false
        }
        return (lines + [line]).joined(separator: "\n")
    }
}

extension CommandOption {
    /// The names and the placeholder, such as `-h, --help` or `--hub NAME`.
    fileprivate var label: String {
        names.sorted { $0.count < $1.count }.joined(separator: ", ") + (value.map { " " + $0 } ?? "")
    }
}

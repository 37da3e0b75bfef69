/// A manual page in roff, with the macros of man(7).
struct ManualPage {
    private var lines: [String] = []

    /// A tool's name and version, and the date of the version.
    typealias Source = (text: String, date: String)

    /// The maximum length of a line.
    private static let width = 78

    /// Creates the page on a topic.
    init(_ topic: HelpTopic, source: Source) {
        let title = String(topic.name.map { $0 == " " ? "-" : $0 })
        let purpose = topic.summary.last == "." ? topic.summary.dropLast() : topic.summary[...]
        lines = [
            ".TH \(Self.argument(title.uppercased())) 1 \(source.date) \(Self.argument(source.text))", ".SH NAME",
        ]
        add("\(title) - \(purpose.prefix(1).lowercased() + purpose.dropFirst())")
        lines.append(".SH SYNOPSIS")
        add(usageOf: topic)
        lines.append(".SH DESCRIPTION")
        add(paragraphs: [topic.overview] + topic.discussion)
        add(topic.sections, heading: ".SH")
    }

    /// The text of the page.
    var text: String { lines.joined(separator: "\n") }

    /// Adds a section about another topic.
    mutating func add(_ topic: HelpTopic) {
        lines.append(".SH \(Self.argument(topic.name.uppercased()))")
        add(usageOf: topic)
        lines.append(".PP")
        add(paragraphs: [topic.overview] + topic.discussion)
        add(topic.sections, heading: ".SS")
    }

    private mutating func add(usageOf topic: HelpTopic) {
        for (index, form) in topic.usage.enumerated() {
            if index > 0 { lines.append(".br") }
            lines.append(".B \(Self.escaped(topic.name))")
            add(form)
        }
    }

    private mutating func add(paragraphs: [String]) {
        for (index, text) in paragraphs.enumerated() {
            if index > 0 { lines.append(".PP") }
            add(text)
        }
    }

    private mutating func add(_ sections: [Command.Section], heading: String) {
        for section in sections {
            lines.append("\(heading) \(Self.argument(section.title))")
            switch section.content {
            case .text(let text): add(text)
            case .list(let items):
                for (term, text) in items {
                    lines += [".TP", ".B \(Self.argument(term))"]
                    add(text)
                }
            case .lines(let text): lines += [".nf"] + text.map { Self.line(Self.escaped($0)) } + [".fi"]
            }
        }
    }

    private mutating func add(_ text: String) {
        lines += TextLines.wrapped(Self.escaped(text), width: Self.width).map(Self.line)
    }

    /// Returns an escaped line that is not a request.
    private static func line(_ text: String) -> String {
        text.first == "." ? "\\&\(text)" : text
    }

    /// Returns a string as one argument of a macro.
    private static func argument(_ text: String) -> String { "\"\(escaped(text))\"" }

    /// Returns a string in which all characters stand for themselves.
    private static func escaped(_ text: String) -> String {
        text.unicodeScalars.map { scalar in
            switch scalar {
            case "\\": "\\(rs"
            case "-": "\\-"
            case "'": "\\(aq"
            case "`": "\\(ga"
            case "^": "\\(ha"
            case "~": "\\(ti"
            case "\"": "\\(dq"
            case _ where !scalar.isASCII: "\\[u\(Self.digits(scalar.value))]"
            default: String(scalar)
            }
        }.joined()
    }

    private static func digits(_ value: UInt32) -> String {
        let digits = String(value, radix: 16, uppercase: true)
        return String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    }
}

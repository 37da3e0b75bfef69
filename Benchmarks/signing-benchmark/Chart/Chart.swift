import HubBenchmarkSystem

/// A bar chart of the time per operation, as an SVG image for light and dark pages.
struct Chart {
    private let groups: [ChartGroup]
    private let origin: Origin?

    /// Creates a chart; `nil` if there is no result to show.
    init?(_ results: [Measurement]) {
        groups = ChartGroup.all(results)
        guard !groups.isEmpty else { return nil }
        origin = results.first(where: \.isOfThisPackage)?.origin
    }

    // The coordinates are fixed, because text cannot be measured without its font.
    private static let (width, margin, barStart, barWidth) = (760, 24, 236, 400)
    private static let (rowHeight, barHeight, groupHeight) = (24, 16, 40)

    /// The image.
    var svg: String {
        var y = 58
        var body: [String] = []
        for group in groups {
            y += Self.groupHeight
            body.append(Self.text(Self.margin, y - 10, "group", group.title))
            for bar in group.bars {
                body += Self.elements(of: bar, longest: group.bars.map(\.time).max() ?? bar.time, y)
                y += Self.rowHeight
            }
        }
        for line in notes {
            y += 18
            body.append(Self.text(Self.margin, y + 6, "note", line))
        }
        let height = y + 28
        return """
            <svg xmlns="http://www.w3.org/2000/svg" width="\(Self.width)" height="\(height)" \
            viewBox="0 0 \(Self.width) \(height)" role="img" aria-labelledby="title description">
            <title id="title">\(Self.title)</title>
            <desc id="description">\(Self.escaped(description))</desc>
            <style>
            \(Self.style)
            </style>
            <rect class="page" width="\(Self.width)" height="\(height)" rx="8"/>
            \(Self.text(Self.margin, 38, "title", Self.title))
            \(Self.text(Self.margin, 58, "note", "Each group has its own scale, which starts at 0."))
            \(body.joined(separator: "\n"))
            </svg>

            """
    }

    private static let title = "Nanoseconds per operation on one core: shorter is better"

    private static let style = """
        text { font: 13px system-ui, -apple-system, "Segoe UI", "Noto Sans", Helvetica, Arial, sans-serif; fill: #1f2328 }
        .title { font-size: 18px; font-weight: 600 }
        .group { font-weight: 600 }
        .note { font-size: 11px; fill: #59636e }
        .page { fill: #ffffff }
        .own { fill: #0969da }
        .batch { fill: #54a3f5 }
        .peer { fill: #8c959f }
        @media (prefers-color-scheme: dark) {
        text { fill: #e6edf3 }
        .note { fill: #9198a1 }
        .page { fill: #0d1117 }
        .own { fill: #4493f8 }
        .batch { fill: #2f6bbd }
        .peer { fill: #6e7681 }
        }
        """

    /// Returns a bar with its label and its time.
    private static func elements(of bar: ChartGroup.Bar, longest: Double, _ y: Int) -> [String] {
        let length = max(1, (Double(barWidth) * bar.time / longest).rounded())
        let kind = bar.kind.rawValue
        return [
            text(margin, y + 13, "label", clipped(bar.label, to: 32)),
            "<rect class=\"\(kind)\" x=\"\(barStart)\" y=\"\(y)\" width=\"\(Int(length))\" height=\"\(barHeight)\" rx=\"2\"/>",
            text(barStart + Int(length) + 8, y + 13, "time", time(bar)),
        ]
    }

    /// The bars in words, for readers who cannot see the image.
    private var description: String {
        groups.map { group in
            "\(group.title): " + group.bars.map { "\($0.label) \(Self.time($0))" }.joined(separator: "; ") + "."
        }.joined(separator: " ")
    }

    /// The machine and the commit, in lines that fit.
    private var notes: [String] {
        [origin?.machine, origin?.commit.map { "commit \($0)" }].compactMap { $0.map { Self.clipped($0, to: 120) } }
    }

    private static func time(_ bar: ChartGroup.Bar) -> String { "\(bar.time.grouped) ns" }

    private static func clipped(_ text: String, to count: Int) -> String {
        text.count <= count ? text : text.prefix(count - 1) + "…"
    }

    private static func text(_ x: Int, _ y: Int, _ style: String, _ text: String) -> String {
        "<text class=\"\(style)\" x=\"\(x)\" y=\"\(y)\">\(escaped(text))</text>"
    }

    /// Returns text for XML. Control characters, which XML forbids, become spaces.
    private static func escaped(_ text: String) -> String {
        text.unicodeScalars.reduce(into: "") { escaped, scalar in
            switch scalar {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"": escaped += "&quot;"
            case "\u{0}"..<" ", "\u{fffe}", "\u{ffff}": escaped += " "
            default: escaped.unicodeScalars.append(scalar)
            }
        }
    }
}

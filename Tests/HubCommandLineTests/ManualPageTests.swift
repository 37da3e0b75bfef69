import Testing

@testable import HubCommandLine

@Suite struct ManualPageTests {
    private static let command = Command(
        "serve", summary: "Serve files.", overview: #"Serve ".git" or C:\it's…"#, usage: ["FILE", "--list"],
        discussion: [String(repeating: "word-word ", count: 60)],
        groups: [.init([.init("--port", value: "N", help: ".hidden port.")])],
        sections: [.init("LINES", lines: "{\n .a\n.b}"), .init("WHY", text: "Because.")])

    @Test func `generates the page of a subcommand`() {
        let page = ManualPage(Self.command.topic(of: "tool"), source: ("tool 1.0", "2026-11-23")).text
        let lines = page.split(separator: "\n").map(String.init)
        #expect(
            lines.prefix(10) == [
                #".TH "TOOL\-SERVE" 1 2026-11-23 "tool 1.0""#, ".SH NAME", #"tool\-serve \- serve files"#,
                ".SH SYNOPSIS", ".B tool serve", "FILE", ".br", ".B tool serve", #"\-\-list"#, ".SH DESCRIPTION",
            ])
        #expect(lines[10] == #"Serve \(dq.git\(dq or C:\(rsit\(aqs\[u2026]"#)
        #expect(lines[11...12] == [".PP", Array(repeating: #"word\-word"#, count: 7).joined(separator: " ")])
        #expect(lines.allSatisfy { $0.utf8.count <= 80 })
        #expect(
            page.hasSuffix(
                #"""
                .SH "OPTIONS"
                .TP
                .B "\-\-port N"
                \&.hidden port.
                .TP
                .B "\-h, \-\-help"
                Show this help.
                .SH "LINES"
                .nf
                {
                 .a
                \&.b}
                .fi
                .SH "WHY"
                Because.
                """#))
    }

    @Test func `adds subcommands as sections`() {
        let topic = HelpTopic(
            name: "tool", summary: "Work.", overview: "Work.", usage: ["x"], discussion: [], sections: [])
        var page = ManualPage(topic, source: ("tool 1.0", "2026-11-23"))
        page.add(Self.command.topic(of: "tool"))
        #expect(page.text.contains("\n.SH \"TOOL SERVE\"\n.B tool serve\nFILE\n.br\n"))
        #expect(page.text.contains("\n.SS \"OPTIONS\"\n.TP\n"))
    }
}

import Testing

@testable import HubCommandLine

@Suite(.timeLimit(.minutes(30))) struct RunnerTextTests {
    private static func escaped(_ text: String, in variable: String, allowsCommand: Bool = false) -> String {
        let job = RunnerText { $0 == variable ? Array("true".utf8) : nil }
        return String(decoding: job.escaped(Array(text.utf8), allowsCommand: allowsCommand), as: UTF8.self)
    }

    @Test(arguments: [
        ("::stop-commands::x", ":\\u003astop-commands::x"),
        (" \t::add-mask::x", " \t:\\u003aadd-mask::x"),
        ("\u{2028}\u{a0}::debug::", "\u{2028}\u{a0}:\\u003adebug::"),
        (":\u{ad}:debug::", ":\u{ad}\\u003adebug::"),
        ("a\n::debug::\r::debug::", "a\n:\\u003adebug::\r:\\u003adebug::"),
        ("a ##[add-mask]x", "a #\\u0023[add-mask]x"),
        ("a ###[add-mask]x", "a #\\u0023\\u0023[add-mask]x"),
        ("#\u{200d}#[debug]", "#\u{200d}\\u0023[debug]"),
        ("##vso[task.setvariable]", "#\\u0023vso[task.setvariable]"),
    ])
    func `escapes the commands of a runner`(text: String, expected: String) {
        for variable in ["GITHUB_ACTIONS", "TF_BUILD"] { #expect(Self.escaped(text, in: variable) == expected) }
        #expect(Self.escaped(text, in: "HOME") == text)
    }

    @Test(arguments: ["a::b", "a: ::b", "# title", "# # title", "{\"a\":\"::b\"}", "é", ""])
    func `keeps text without a command unchanged`(text: String) {
        #expect(Self.escaped(text, in: "GITHUB_ACTIONS") == text)
    }

    @Test func `keeps the tool's own command for GitHub`() {
        let text = "::error file=##[a]::##vso[b]"
        #expect(Self.escaped(text, in: "GITHUB_ACTIONS", allowsCommand: true) == text)
        #expect(!Self.escaped(text, in: "TF_BUILD", allowsCommand: true).contains("##"))
    }
}

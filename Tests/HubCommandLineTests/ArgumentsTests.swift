import HubCommandLine
import Testing

@Suite struct ArgumentsTests {
    @Test func `parses a subcommand, flags and values in any order`() throws {
        var arguments = Arguments(["demo", "--json", "--port", "80", "--hub=push=1", "-h"])
        let subcommand = arguments.subcommand()
        let hub = try arguments.value(of: "--hub")
        let port = try arguments.value(of: "--port")
        let wantsHelp = arguments.flag("--help", "-h")
        let isJSON = arguments.flag("--json")
        let isJSONAgain = arguments.flag("--json")
        try arguments.finish()
        #expect((subcommand, hub, port) == ("demo", "push=1", "80"))
        #expect((wantsHelp, isJSON, isJSONAgain) == (true, true, false))
    }

    @Test func `returns no subcommand when the first word is an option`() {
        var arguments = Arguments(["--help"])
        let subcommand = arguments.subcommand()
        #expect(subcommand == nil)
    }

    @Test(arguments: [
        (["--port"], "--port requires a value"),
        (["--port", "--json"], "--port requires a value"),
        (["--port", "1", "--port=2"], "--port given more than once"),
        (["--prot", "1"], "unknown option: \"--prot\""),
        (["--json=yes"], "unknown option, or option without a value: \"--json\""),
        (["--SharedAccessKey=secret"], "unknown option, or option without a value: (redacted)"),
        (["SharedAccessKey=secret"], "unexpected argument: (redacted)"),
        (["more"], "unexpected argument: \"more\""),
    ])
    func `reports an invalid command line`(words: [String], message: String) {
        #expect(throws: UsageError(message)) {
            var arguments = Arguments(words)
            _ = try arguments.value(of: "--port")
            _ = arguments.flag("--json")
            try arguments.finish()
        }
    }
}

import HubCommandLine
import Testing

@Suite struct ArgumentsTests {
    @Test func `takes a subcommand, flags and values in any order`() throws {
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

    @Test func `knows an option from a subcommand`() {
        var arguments = Arguments(["--help"])
        let subcommand = arguments.subcommand()
        #expect(subcommand == nil)
    }

    @Test(arguments: [
        (["--port"], "--port needs a value"),
        (["--port", "--json"], "--port needs a value"),
        (["--port", "1", "--port=2"], "--port is there twice"),
        (["--prot", "1"], "the option \"--prot\" is unknown"),
        (["--json=yes"], "the option \"--json\" is unknown, or has no value"),
        (["--SharedAccessKey=secret"], "the option (not shown) is unknown, or has no value"),
        (["SharedAccessKey=secret"], "the argument (not shown) is one too many"),
        (["more"], "the argument \"more\" is one too many"),
    ])
    func `says what is wrong`(words: [String], message: String) {
        #expect(throws: UsageError(message)) {
            var arguments = Arguments(words)
            _ = try arguments.value(of: "--port")
            _ = arguments.flag("--json")
            try arguments.finish()
        }
    }
}

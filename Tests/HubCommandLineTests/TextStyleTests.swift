import Testing

@testable import HubCommandLine

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

@Suite struct TextStyleTests {
    @Test(arguments: [
        (["TERM": "xterm"], true), (["TERM": "xterm", "NO_COLOR": ""], true),
        (["TERM": "xterm", "NO_COLOR": "1"], false),
        (["TERM": "dumb"], false), (["TERM": ""], false), ([:], false),
    ])
    func `styles text on a terminal, unless the environment forbids it`(environment: [String: String], isStyled: Bool) {
        let terminal = unsafe open("/dev/ptmx", O_RDWR | O_NOCTTY)
        defer { close(terminal) }
        let style = TextStyle(of: terminal) { environment[$0].map { Array($0.utf8) } }
        #expect(style.bold("a") == (isStyled ? "\u{1b}[1ma\u{1b}[0m" : "a"))
        #expect(style.red("a") == (isStyled ? "\u{1b}[31ma\u{1b}[0m" : "a"))
    }

    @Test func `does not style text in a pipe`() {
        var ends: [CInt] = [-1, -1]
        #expect(unsafe pipe(&ends) == 0)
        defer { ends.forEach { close($0) } }
        #expect(TextStyle(of: ends[1]) { $0 == "TERM" ? Array("xterm".utf8) : nil }.bold("a") == "a")
    }
}

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Bold and colored text, on terminals only.
struct TextStyle {
    private let isEnabled: Bool

    /// Text without styles.
    static let plain = TextStyle(isEnabled: false)

    private init(isEnabled: Bool) {
        self.isEnabled = isEnabled
    }

    /// Creates the style of a stream: plain unless it is a terminal, with `NO_COLOR` (https://no-color.org) and for the terminal `dumb`.
    init(of descriptor: CInt) {
        let isDumb = Environment.bytes(of: "TERM").map { $0.elementsEqual("dumb".utf8) } ?? true
        let allowsColor = Environment.bytes(of: "NO_COLOR")?.isEmpty ?? true
        isEnabled = !isDumb && allowsColor && isatty(descriptor) == 1
    }

    /// Returns a heading.
    func bold(_ text: String) -> String { styled(text, "1") }

    /// Returns the start of an error message.
    func red(_ text: String) -> String { styled(text, "31") }

    private func styled(_ text: String, _ code: String) -> String {
        isEnabled ? "\u{1b}[\(code)m\(text)\u{1b}[0m" : text
    }
}

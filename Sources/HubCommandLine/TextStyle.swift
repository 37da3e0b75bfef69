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

    /// Creates the style of a stream. It is plain unless the stream is a terminal, if `NO_COLOR` is set (https://no-color.org), and for
    /// the terminal `dumb`.
    init(of descriptor: CInt, environment: (String) -> [UInt8]? = Environment.bytes) {
        let terminal = environment("TERM") ?? []
        let allowsStyles = (environment("NO_COLOR") ?? []).isEmpty
        isEnabled = allowsStyles && !terminal.isEmpty && !terminal.elementsEqual("dumb".utf8) && isatty(descriptor) == 1
    }

    /// Returns a heading.
    func bold(_ text: String) -> String { styled(text, "1") }

    /// Returns the start of an error message.
    func red(_ text: String) -> String { styled(text, "31") }

    private func styled(_ text: String, _ code: String) -> String {
        isEnabled ? "\u{1b}[\(code)m\(text)\u{1b}[0m" : text
    }
}

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The output of tools: results to standard output, everything else to standard error.
package enum Console {
    /// Opens `/dev/null` for each closed standard stream, so that no file gets its descriptor. Must be called first.
    package static func keepPlaces() {
        for (descriptor, flags) in [(STDIN_FILENO, O_WRONLY), (STDOUT_FILENO, O_RDONLY), (STDERR_FILENO, O_RDONLY)]
        where Descriptor.status(descriptor) == nil {
            Descriptor.openNothing(flags)
        }
    }

    /// Writes a line of the result, unbuffered.
    package static func output(_ line: String) {
        write(line, to: STDOUT_FILENO)
    }

    /// Writes the tool's own text, of several lines.
    package static func output(text: String) {
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) { output(String(line)) }
    }

    /// Writes bytes of the result unchanged and unbuffered.
    ///
    /// - Throws: ``Unwritable`` if not all could be written.
    package static func output(bytes: [UInt8]) throws(Unwritable) {
        try write(bytes, to: STDOUT_FILENO)
    }

    /// Writes lines of the result, unbuffered.
    ///
    /// - Throws: ``Unwritable`` if not all could be written.
    package static func result(_ lines: [String]) throws(Unwritable) {
        try output(bytes: lines.flatMap { Array((singleLine($0) + "\n").utf8) })
    }

    /// Writes the tool's own text, of several lines, as the result.
    ///
    /// - Throws: ``Unwritable`` if not all could be written.
    package static func result(text: String) throws(Unwritable) {
        try result(text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init))
    }

    /// Writes a JSON object of the result, on one line.
    ///
    /// - Throws: ``Unwritable`` if it could not be written.
    package static func result(_ object: JSONOutput) throws(Unwritable) {
        try output(bytes: object.bytes + [UInt8(ascii: "\n")])
    }

    /// A result that cannot be written.
    package struct Unwritable: Error, CustomStringConvertible {
        let code: CInt

        /// Whether the reader has closed the pipe.
        package var isClosedPipe: Bool { code == EPIPE }

        package var description: String { "cannot write to standard output: \(SystemError.text(code))" }
    }

    /// Writes a line to standard error, unbuffered.
    package static func error(_ line: String) {
        write(line, to: STDERR_FILENO)
    }

    /// Overwrites the last status line on a terminal; an empty line removes it.
    package static func status(_ line: String, over lastCount: Int) {
        let line = singleLine(line)
        let rest = String(repeating: " ", count: max(0, lastCount - line.count))
        try? write(Array("\r\(line)\(rest)\(line.isEmpty ? "\r" : "")".utf8), to: STDERR_FILENO)
    }

    /// The text without line breaks and characters that control a terminal.
    private static func singleLine(_ text: String) -> String {
        var line = String.UnicodeScalarView()
        for scalar in text.unicodeScalars { line.append(scalar.steersTerminal ? " " : scalar) }
        return String(line)
    }

    private static func write(_ line: String, to descriptor: CInt) {
        // If standard error is closed, no other place is left for an error.
        try? write(Array((singleLine(line) + "\n").utf8), to: descriptor)
    }

    private static func write(_ bytes: [UInt8], to descriptor: CInt) throws(Unwritable) {
        if let code = Descriptor.write(bytes, to: descriptor) { throw Unwritable(code: code) }
    }
}

extension Unicode.Scalar {
    /// Whether a terminal would interpret the character instead of showing it.
    var steersTerminal: Bool {
        switch properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator: true
        default: false
        }
    }
}

/// The terminal of this process.
package enum Terminal {
    /// Whether standard error is a terminal.
    package static var showsErrors: Bool { isatty(STDERR_FILENO) == 1 }

    /// The width of standard error's terminal in characters; `nil` if unknown.
    package static var width: Int? {
        var size = winsize()
        guard unsafe ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
        return Int(size.ws_col)
    }

    /// Whether the terminal's keys send signals to this process and its children.
    package static var sendsSignalsToProcess: Bool {
        let terminal = systemOpen("/dev/tty")
        guard terminal >= 0 else { return false }
        defer { _ = close(terminal) }
        return tcgetpgrp(terminal) == getpgrp()
    }
}

private func systemOpen(_ path: String) -> CInt {
    unsafe open(path, O_RDONLY | O_NOCTTY | O_CLOEXEC)
}

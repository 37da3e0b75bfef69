import HubText

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The output of the tools: results on standard output, everything else on standard error.
package enum Console {
    /// Opens `/dev/null` for each closed standard stream, so that no file gets its descriptor. Call this first.
    package static func reserveStandardDescriptors() {
        for (descriptor, flags) in [(STDIN_FILENO, O_WRONLY), (STDOUT_FILENO, O_RDONLY), (STDERR_FILENO, O_RDONLY)]
        where Descriptor.status(descriptor) == nil {
            Descriptor.openNull(flags)
        }
    }

    /// Whether standard input is a terminal.
    package static var readsTerminal: Bool { isatty(STDIN_FILENO) == 1 }

    /// Writes one line of the result, unbuffered, and ignores errors.
    package static func output(_ line: String) {
        write(line, to: STDOUT_FILENO)
    }

    /// Writes lines of the tool's own text, and ignores errors.
    package static func output(text: String) {
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) { output(String(line)) }
    }

    /// Whether the result is escaped, because the runner of a CI job executes commands in it. JSON keeps its meaning.
    package static var escapesResult: Bool { RunnerText.current.isEnabled }

    /// Writes bytes of the result, unbuffered. They are unchanged unless ``escapesResult`` is true.
    ///
    /// - Throws: ``WriteError`` if not all bytes could be written.
    package static func output(bytes: [UInt8]) throws(WriteError) {
        try write(bytes, to: STDOUT_FILENO)
    }

    /// Writes lines of the result, unbuffered.
    ///
    /// - Throws: ``WriteError`` if not all lines could be written.
    package static func result(_ lines: [String]) throws(WriteError) {
        try output(bytes: lines.flatMap { Array((singleLine($0) + "\n").utf8) })
    }

    /// Writes the tool's own text as the result, in the style of standard output.
    ///
    /// - Throws: ``WriteError`` if the text could not be written.
    static func result(_ text: (TextStyle) -> String) throws(WriteError) {
        try output(bytes: Array((text(TextStyle(of: STDOUT_FILENO)) + "\n").utf8))
    }

    /// Writes a command for the runner of a CI job as one line of the result.
    ///
    /// - Throws: ``WriteError`` if the line could not be written.
    package static func result(command: String) throws(WriteError) {
        try write(Array((singleLine(command) + "\n").utf8), to: STDOUT_FILENO, allowsCommand: true)
    }

    /// Writes a JSON object as one line of the result.
    ///
    /// - Throws: ``WriteError`` if the line could not be written.
    package static func result(_ object: JSONOutput) throws(WriteError) {
        try output(bytes: object.bytes + [UInt8(ascii: "\n")])
    }

    /// An error for a result that cannot be written.
    package struct WriteError: Error, CustomStringConvertible {
        let code: CInt

        /// Whether the reader has closed the pipe.
        package var isClosedPipe: Bool { code == EPIPE }

        package var description: String { "cannot write to standard output: \(SystemError.text(code))" }
    }

    /// Writes a line to standard error, unbuffered, and ignores errors.
    package static func error(_ line: String) {
        write(line, to: STDERR_FILENO)
    }

    /// Reports why a tool failed: on standard error or, with `asJSON`, as an object with `code` and `message` on standard output.
    ///
    /// - Parameter code: A name of the failure for programs.
    static func failure(_ error: any Error, of tool: String, code: String, asJSON: Bool) {
        if asJSON {
            var object = JSONOutput()
            object.add("code", code)
            object.add("message", "\(error)")
            if (try? result(object)) != nil { return }
        }
        let prefix = TextStyle(of: STDERR_FILENO).red("\(tool):")
        try? write(Array((prefix + singleLine(" \(error)") + "\n").utf8), to: STDERR_FILENO)
    }

    /// Overwrites the last status line on a terminal. An empty line removes it.
    ///
    /// - Parameters:
    ///   - line: The new status line.
    ///   - lastCount: The number of characters in the last status line.
    package static func status(_ line: String, over lastCount: Int) {
        let line = singleLine(line)
        try? write(Array("\r\(line.padded(right: lastCount))\(line.isEmpty ? "\r" : "")".utf8), to: STDERR_FILENO)
    }

    /// Returns the text with each line break and terminal control character replaced by a space.
    private static func singleLine(_ text: String) -> String {
        var line = String.UnicodeScalarView()
        for scalar in text.unicodeScalars { line.append(scalar.isTerminalControl ? " " : scalar) }
        return String(line)
    }

    private static func write(_ line: String, to descriptor: CInt) {
        // If standard error cannot be written, there is no other place to report the failure.
        try? write(Array((singleLine(line) + "\n").utf8), to: descriptor)
    }

    /// Writes bytes, all of which pass through here, and escapes what the runner of a CI job would execute.
    private static func write(
        _ bytes: [UInt8], to descriptor: CInt, allowsCommand: Bool = false
    ) throws(WriteError) {
        let bytes = RunnerText.current.escaped(bytes, allowsCommand: allowsCommand)
        if let code = Descriptor.write(bytes, to: descriptor) { throw WriteError(code: code) }
    }
}

extension Unicode.Scalar {
    /// Whether a terminal interprets the character instead of displaying it.
    var isTerminalControl: Bool {
        if isASCII { return isControl }
        return switch properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator: true
        default: false
        }
    }
}

/// The process's terminal.
package enum Terminal {
    /// Whether standard output is a terminal.
    package static var showsResults: Bool { isatty(STDOUT_FILENO) == 1 }

    /// Whether standard error is a terminal.
    package static var showsErrors: Bool { isatty(STDERR_FILENO) == 1 }

    /// The width in characters of the terminal on standard error, or `nil` if unknown.
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

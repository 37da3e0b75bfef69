#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Where tools write: results to standard output, all else to standard error.
package enum Console {
    /// Keeps the places of the standard streams that are closed: a file that is opened later would take one, and be written to
    /// as if it were the stream. To be called before anything else runs.
    package static func keepPlaces() {
        for (descriptor, flags) in [(STDIN_FILENO, O_WRONLY), (STDOUT_FILENO, O_RDONLY), (STDERR_FILENO, O_RDONLY)]
        where Descriptor.status(descriptor) == nil {
            Descriptor.openNothing(flags)
        }
    }

    /// Writes a line of the result, at once.
    package static func output(_ line: String) {
        write(line, to: STDOUT_FILENO)
    }

    /// Writes a text of the tool's own, of several lines.
    package static func output(text: String) {
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) { output(String(line)) }
    }

    /// Writes bytes of the result just as they are, at once.
    ///
    /// - Throws: ``Unwritable`` if not all of them could be written.
    package static func output(bytes: [UInt8]) throws(Unwritable) {
        try write(bytes, to: STDOUT_FILENO)
    }

    /// Writes lines of the result at once.
    ///
    /// - Throws: ``Unwritable`` if not all of them could be written.
    package static func result(_ lines: [String]) throws(Unwritable) {
        try output(bytes: lines.flatMap { Array((singleLine($0) + "\n").utf8) })
    }

    /// Writes a text of the tool's own, of several lines, as the result.
    ///
    /// - Throws: ``Unwritable`` if not all of it could be written.
    package static func result(text: String) throws(Unwritable) {
        try result(text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init))
    }

    /// Writes an object of the result, in a line.
    ///
    /// - Throws: ``Unwritable`` if it could not be written.
    package static func result(_ object: JSONObject) throws(Unwritable) {
        try output(bytes: object.bytes + [UInt8(ascii: "\n")])
    }

    /// The result found no place to go to.
    package struct Unwritable: Error, CustomStringConvertible {
        /// Why, by the system's number.
        let code: CInt

        /// Whether the reader has gone, who then wants to hear nothing.
        package var isClosedPipe: Bool { code == EPIPE }

        /// What is wrong, in one line.
        package var description: String { "cannot write to standard output: \(SystemError.text(code))" }
    }

    /// Writes a line that is not the result, at once.
    package static func error(_ line: String) {
        write(line, to: STDERR_FILENO)
    }

    /// Writes a line over the one that this wrote last, on a terminal; an empty one takes that away.
    package static func status(_ line: String, over lastCount: Int) {
        let line = singleLine(line)
        let rest = String(repeating: " ", count: max(0, lastCount - line.count))
        try? write(Array("\r\(line)\(rest)\(line.isEmpty ? "\r" : "")".utf8), to: STDERR_FILENO)
    }

    /// A line as it is: what is not the tool's own text may hold line breaks, or characters that steer a terminal.
    private static func singleLine(_ text: String) -> String {
        var line = String.UnicodeScalarView()
        for scalar in text.unicodeScalars { line.append(scalar.steersTerminal ? " " : scalar) }
        return String(line)
    }

    private static func write(_ line: String, to descriptor: CInt) {
        // If nobody reads any more, there is no other place to say so.
        try? write(Array((singleLine(line) + "\n").utf8), to: descriptor)
    }

    private static func write(_ bytes: [UInt8], to descriptor: CInt) throws(Unwritable) {
        if let code = Descriptor.write(bytes, to: descriptor) { throw Unwritable(code: code) }
    }
}

extension Unicode.Scalar {
    /// Whether a terminal would do something other than show it.
    var steersTerminal: Bool {
        switch properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator: true
        default: false
        }
    }
}

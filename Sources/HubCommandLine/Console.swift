#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Where tools write: results to standard output, all else to standard error.
package enum Console {
    /// Writes a line of the result, at once.
    package static func output(_ line: String) {
        write(line, to: STDOUT_FILENO)
    }

    /// Writes a text of the tool's own, of several lines.
    package static func output(text: String) {
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) { output(String(line)) }
    }

    /// Writes a line that is not the result, at once.
    package static func error(_ line: String) {
        write(line, to: STDERR_FILENO)
    }

    /// A line as it is: what is not the tool's own text may hold line breaks, or characters that steer a terminal.
    private static func singleLine(_ text: String) -> String {
        let unwanted: Set<Unicode.GeneralCategory> = [.control, .format, .lineSeparator, .paragraphSeparator]
        var line = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            line.append(unwanted.contains(scalar.properties.generalCategory) ? " " : scalar)
        }
        return String(line)
    }

    private static func write(_ line: String, to descriptor: CInt) {
        var rest = Array((singleLine(line) + "\n").utf8)[...]
        while !rest.isEmpty {
            let written = unsafe rest.withUnsafeBytes { unsafe systemWrite(descriptor, $0.baseAddress, $0.count) }
            if written < 0, errno == EINTR { continue }
            // Nobody reads any more, and there is no other place to say so.
            guard written > 0 else { return }
            rest = rest.dropFirst(written)
        }
    }
}

private func systemWrite(_ descriptor: CInt, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
    unsafe write(descriptor, bytes, count)
}

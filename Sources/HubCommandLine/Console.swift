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

    /// Writes a line that is not the result, at once.
    package static func error(_ line: String) {
        write(line, to: STDERR_FILENO)
    }

    private static func write(_ line: String, to descriptor: CInt) {
        var rest = Array((line + "\n").utf8)[...]
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

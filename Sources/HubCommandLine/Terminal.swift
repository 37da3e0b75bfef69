#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// What is particular about a terminal.
package enum Terminal {
    /// Whether a person sees standard error as it is written.
    package static var showsErrors: Bool { isatty(STDERR_FILENO) == 1 }

    /// How many characters fit into a line of standard error; `nil` if that is not known.
    package static var width: Int? {
        var size = winsize()
        guard unsafe ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
        return Int(size.ws_col)
    }

    /// Whether the keys of a terminal send their signals to this process, and to what it has started.
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

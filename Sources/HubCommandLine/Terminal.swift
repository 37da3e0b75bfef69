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
}

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A pipe whose ends child processes do not inherit.
package struct SystemPipe: Sendable {
    /// The descriptor to read from.
    package let reading: CInt
    /// The descriptor to write to.
    package let writing: CInt

    /// A failure to create a pipe.
    package struct CreationError: Error {
        /// The error number.
        package let code: CInt
    }

    /// Creates a pipe. The caller must close both ends.
    package init() throws(CreationError) {
        var ends: [CInt] = [0, 0]
        guard unsafe pipe(&ends) == 0 else { throw CreationError(code: errno) }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        (reading, writing) = (ends[0], ends[1])
    }

    /// Closes both ends.
    package func close() {
        _ = systemClose(reading)
        _ = systemClose(writing)
    }
}

private func systemClose(_ descriptor: CInt) -> CInt {
    close(descriptor)
}

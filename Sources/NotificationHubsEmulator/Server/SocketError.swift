#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A call of the system's that failed.
package struct SocketError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What was to be done.
    let operation: String
    /// The system's error number.
    package let code: Int32

    /// What failed and why, in one line.
    package var description: String {
        "cannot \(operation): \(unsafe String(cString: strerror(code)))"
    }

    /// A failure, by the number that the system has just left for this thread unless another is given.
    init(_ operation: String, code: Int32 = errno) {
        self.operation = operation
        self.code = code
    }

    /// Passes a call's result on, unless it is negative.
    @discardableResult
    static func check<Status: SignedInteger>(_ operation: String, _ status: Status) throws(SocketError) -> Status {
        guard status >= 0 else { throw SocketError(operation) }
        return status
    }
}

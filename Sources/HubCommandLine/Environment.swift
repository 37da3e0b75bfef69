#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The process's environment.
package enum Environment {
    /// A variable's value.
    ///
    /// - Throws: ``UsageError`` if it is not set, or empty.
    package static func value(of name: String) throws(UsageError) -> String {
        guard let value = unsafe getenv(name).map({ unsafe String(cString: $0) }), !value.isEmpty else {
            throw UsageError("the environment variable \(name) is not set")
        }
        return value
    }
}

// For `environ`, which does not change after a second thread starts.
#if canImport(Glibc)
@unsafe @preconcurrency import Glibc
#elseif canImport(Musl)
@unsafe @preconcurrency import Musl
#else
import Darwin
#endif

/// The process's environment variables and raw arguments.
package enum Environment {
    /// All variables, each as `NAME=VALUE` in bytes that need not be valid UTF-8.
    package static var all: [[UInt8]] {
        #if canImport(Darwin)
        guard var next = unsafe _NSGetEnviron().pointee else { return [] }
        #else
        var next = unsafe environ
        #endif
        var variables: [[UInt8]] = []
        while let variable = unsafe next.pointee {
            unsafe variables.append(Array(UnsafeRawBufferPointer(start: variable, count: strlen(variable))))
            unsafe next += 1
        }
        return variables
    }

    /// The arguments after the first `--`, in bytes that need not be valid UTF-8.
    package static var argumentsAfterDashes: [[UInt8]] {
        let words = (0..<Int(CommandLine.argc)).compactMap { index -> [UInt8]? in
            guard let word = unsafe CommandLine.unsafeArgv[index] else { return nil }
            return unsafe Array(UnsafeRawBufferPointer(start: word, count: strlen(word)))
        }
        guard let dashes = words.firstIndex(of: Array("--".utf8)) else { return [] }
        return Array(words[(dashes + 1)...])
    }

    /// Returns a variable's value as bytes, or `nil` if it is not set.
    package static func bytes(of name: String) -> [UInt8]? {
        guard let value = unsafe getenv(name) else { return nil }
        return unsafe Array(UnsafeRawBufferPointer(start: value, count: strlen(value)))
    }

    /// Returns a variable's value as a string.
    ///
    /// - Throws: ``UsageError`` if the variable is empty or not set.
    package static func value(of name: String) throws(UsageError) -> String {
        guard let value = unsafe getenv(name).map({ unsafe String(cString: $0) }), !value.isEmpty else {
            throw UsageError("environment variable \(name) is not set or is empty")
        }
        return value
    }
}

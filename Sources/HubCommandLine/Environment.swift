// For `environ`, a variable that nobody changes once more than one thread runs.
#if canImport(Glibc)
@unsafe @preconcurrency import Glibc
#elseif canImport(Musl)
@unsafe @preconcurrency import Musl
#else
import Darwin
#endif

/// The process's environment.
package enum Environment {
    /// Keeps some hosts from being reached by a proxy that the environment names. To be called before anything else runs.
    package static func exceptFromProxies(_ hosts: [String]) {
        for name in ["no_proxy", "NO_PROXY"] {
            let given = (try? value(of: name)).map { [$0] } ?? []
            unsafe setenv(name, (given + hosts).joined(separator: ","), 1)
        }
    }

    /// All variables, as `NAME=VALUE`, just as they are: they need be no text.
    package static var all: [[UInt8]] {
        #if canImport(Darwin)
        var next = unsafe _NSGetEnviron().pointee
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

    /// A variable's value as it is; `nil` if it is not set.
    package static func bytes(of name: String) -> [UInt8]? {
        guard let value = unsafe getenv(name) else { return nil }
        return unsafe Array(UnsafeRawBufferPointer(start: value, count: strlen(value)))
    }

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

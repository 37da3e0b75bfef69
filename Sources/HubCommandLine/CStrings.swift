#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Calls `body` with texts as C passes them to programs: an array of pointers that ends with a null pointer.
package func withCStrings<Result>(
    _ texts: [[UInt8]], _ body: (UnsafePointer<UnsafeMutablePointer<CChar>?>) -> Result
) -> Result {
    var pointers = unsafe texts.map { unsafe strdup(($0 + [0]).map { CChar(bitPattern: $0) }) } + [nil]
    defer { unsafe pointers.forEach { unsafe free($0) } }
    return unsafe body(&pointers)
}

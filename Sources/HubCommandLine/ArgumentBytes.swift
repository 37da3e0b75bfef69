#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The command line's words as they are: they need be no text.
package enum ArgumentBytes {
    /// Those behind the first word `--`.
    package static var behindDashes: [[UInt8]] {
        let words = (0..<Int(CommandLine.argc)).compactMap { index -> [UInt8]? in
            guard let word = unsafe CommandLine.unsafeArgv[index] else { return nil }
            return unsafe Array(UnsafeRawBufferPointer(start: word, count: strlen(word)))
        }
        guard let dashes = words.firstIndex(of: Array("--".utf8)) else { return [] }
        return Array(words[(dashes + 1)...])
    }
}

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Signals that the process is deaf to.
enum IgnoredSignal {
    /// Ignores a signal from now on.
    ///
    /// - Returns: whether it was ignored before.
    static func ignore(_ number: CInt) -> Bool {
        let before = signal(number, SIG_IGN)
        // Functions cannot be compared; what stands for "ignore" is no function but a number.
        return unsafe unsafeBitCast(before, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
    }
}

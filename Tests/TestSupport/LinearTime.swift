#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// Returns whether a call with four times the input takes about four times as long. With quadratic time, it takes sixteen times as
/// long.
///
/// - Parameters:
///   - size: The smaller size.
///   - input: Creates an input of a size.
///   - work: The call.
public func takesLinearTime<Input>(
    from size: Int = 2000, of input: (Int) -> Input, _ work: (Input) throws -> Void
) rethrows -> Bool {
    func time(_ size: Int) throws -> Double {
        let input = input(size)
        let start = threadTime()
        try work(input)
        return threadTime() - start
    }
    // Other processes can slow down a single measurement.
    for _ in 0..<10 where try time(size * 4) < min(time(size), time(size)) * 9 + 0.02 { return true }
    return false
}

/// Returns this thread's CPU time in seconds. Tests run in parallel, so wall-clock time is unreliable.
private func threadTime() -> Double {
    var time = timespec()
    unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}

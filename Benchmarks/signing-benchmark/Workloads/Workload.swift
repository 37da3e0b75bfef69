/// The work of one case in one implementation.
///
/// Operations are grouped into laps. A lap is the smallest number of operations whose results are known.
struct Workload {
    /// The case's name.
    let name: String
    let implementation: String
    /// The name of the kernel, if known.
    let kernel: String?
    /// The number of bytes hashed or signed per operation.
    let byteCount: Int
    /// The number of operations per lap.
    let lapLength: Int
    /// The expected sum of the checksums of a lap.
    let answer: UInt64
    /// Runs laps and returns the sum of their checksums.
    let run: (_ lapCount: Int) -> UInt64

    init(
        _ name: String, implementation: String, kernel: String?, byteCount: Int, lapLength: Int = 1, answer: UInt64,
        run: @escaping (_ lapCount: Int) -> UInt64
    ) {
        self.name = name
        self.implementation = implementation
        self.kernel = kernel
        self.byteCount = byteCount
        self.lapLength = lapLength
        self.answer = answer
        self.run = run
    }

    /// Runs laps and checks their results.
    ///
    /// - Throws: ``WrongResultError`` if the sum differs from the known answer.
    func runChecked(_ lapCount: Int) throws(WrongResultError) {
        guard run(lapCount) == answer &* UInt64(lapCount) else {
            throw WrongResultError(name: name, implementation: implementation)
        }
    }
}

/// A result that differs from the known answer.
struct WrongResultError: Error, CustomStringConvertible {
    let name: String
    let implementation: String

    var description: String { "wrong result from \(implementation) in \(name)" }
}

/// Returns the sum of the results of repeated calls. Inlined, so that only the operation costs time.
@inline(__always)
func total(_ count: Int, _ operation: () -> UInt64) -> UInt64 {
    var sum: UInt64 = 0
    var left = count
    while left > 0 {
        sum &+= operation()
        left &-= 1
    }
    return sum
}

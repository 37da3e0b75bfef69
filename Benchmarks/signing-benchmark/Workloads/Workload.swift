/// One case's work by one implementation.
///
/// Operations come in laps, the least number of them whose results are known.
struct Workload {
    /// The case's name.
    let name: String
    let implementation: String
    /// The kernel that serves, if that is known.
    let kernel: String?
    /// How many bytes an operation hashes or signs.
    let byteCount: Int
    /// How many operations a lap has.
    let lapLength: Int
    /// The sum of a lap's results.
    let answer: UInt64
    /// Runs laps, and sums up their results.
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

    /// Runs laps.
    ///
    /// - Throws: ``WrongResult`` if the results are not what they must be.
    func runChecked(_ lapCount: Int) throws(WrongResult) {
        guard run(lapCount) == answer &* UInt64(lapCount) else {
            throw WrongResult(name: name, implementation: implementation)
        }
    }
}

/// A result that is not the known answer.
struct WrongResult: Error, CustomStringConvertible {
    let name: String
    let implementation: String

    var description: String { "\(implementation) computes \(name) wrong" }
}

/// Sums up what an operation gives, again and again. Inlined, so that nothing but the operation costs time.
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

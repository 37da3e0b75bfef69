/// Welch's t-test of whether the times of two classes of inputs have the same distribution (Reparaz, Balasch and
/// Verbauwhede, "Dude, is my code constant time?", 2017).
///
/// Interrupts and other processes add long times, which hide small differences. The test is therefore repeated on times
/// up to several limits, with the mean and with the variance.
struct LeakageTest {
    /// The limits in ascending order.
    private let limits: [UInt64]
    /// For each limit and each class, the moments of the times above the previous limit.
    private var moments: [(fixed: Moments, random: Moments)]

    /// Creates a test whose limits are percentiles of earlier times.
    ///
    /// - Parameter calibration: Times of both classes, in ascending order.
    init(calibration: [UInt64]) {
        // 1 − 2^(−k/2) of the times for k from 1 to 20: 29 %, 50 %, 65 % … 99.9 %.
        var (limits, rest) = ([UInt64](), 1.0)
        for _ in 1...20 {
            rest *= 0.5.squareRoot()
            let limit = calibration[Int(Double(calibration.count - 1) * (1 - rest))]
            if limit != limits.last { limits.append(limit) }
        }
        self.limits = limits + [.max]
        moments = Array(repeating: (Moments(), Moments()), count: self.limits.count)
    }

    /// Adds the time of one measurement.
    mutating func add(_ time: UInt64, isFixed: Bool) {
        var index = 0
        while time > limits[index] { index += 1 }
        if isFixed { moments[index].fixed.add(Double(time)) } else { moments[index].random.add(Double(time)) }
    }

    /// The largest |t| of the tests with enough times.
    var t: Double {
        var (fixed, random, t) = (Moments(), Moments(), 0.0)
        for next in moments {
            fixed.add(next.fixed)
            random.add(next.random)
            guard min(fixed.count, random.count) >= 1000 else { continue }
            t = max(t, fixed.firstOrder.t(random.firstOrder), fixed.secondOrder.t(random.secondOrder))
        }
        return t
    }
}

/// The number, the mean and the central moments of a sample (Pébay 2008).
struct Moments {
    private(set) var count = 0.0
    private(set) var mean = 0.0
    /// The sums of the second, third and fourth powers of the differences from the mean.
    private var (sum2, sum3, sum4) = (0.0, 0.0, 0.0)

    /// Adds a value.
    @inline(__always)
    mutating func add(_ value: Double) {
        add(Moments(count: 1, mean: value))
    }

    /// Adds the values of another sample.
    @inline(__always)
    mutating func add(_ other: Moments) {
        if other.count == 0 { return }
        let (n, m, total) = (count, other.count, count + other.count)
        let difference = other.mean - mean
        let step = difference / total
        let product = n * m * step * difference
        let squares = n * n - n * m + m * m
        sum4 += other.sum4 + product * step * step * squares
        sum4 += 6 * step * step * (n * n * other.sum2 + m * m * sum2) + 4 * step * (n * other.sum3 - m * sum3)
        sum3 += other.sum3 + product * step * (n - m) + 3 * step * (n * other.sum2 - m * sum2)
        sum2 += other.sum2 + product
        mean += m * step
        count = total
    }

    /// The mean, with its variance.
    var firstOrder: Estimate {
        Estimate(value: mean, variance: sum2 / (count - 1) / count)
    }

    /// The mean square of the difference from the mean, with its variance.
    var secondOrder: Estimate {
        let square = sum2 / count
        return Estimate(value: square, variance: (sum4 / count - square * square) / count)
    }

    /// An estimate and the variance of its error.
    struct Estimate {
        private let value: Double
        private let variance: Double

        init(value: Double, variance: Double) {
            self.value = value
            // At least the error of the arithmetic: if two times are equally frequent, the variance of the squares is zero.
            self.variance = max(variance, value * value * 1e-12)
        }

        /// Returns |t| of Welch's t-test for two estimates.
        func t(_ other: Estimate) -> Double {
            value == other.value ? 0 : (value - other.value).magnitude / (variance + other.variance).squareRoot()
        }
    }
}

extension Moments {
    private init(count: Double, mean: Double) {
        self.count = count
        self.mean = mean
    }
}

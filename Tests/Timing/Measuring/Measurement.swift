/// The result of measuring one case.
struct Measurement {
    /// The number of runs that must exceed the threshold for a leak.
    static let runCount = 3
    /// The largest |t| without a leak on a shared machine. On a quiet one, |t| is below 4.5.
    static let threshold = 10.0

    /// The largest |t| of each run.
    private(set) var t: [Double] = []
    /// The median time of the operation in the last run, in units of ``CycleCounter``.
    private(set) var median: UInt64 = 0

    /// Whether the time depends on the class of the input.
    var isLeak: Bool { t.count == Self.runCount && !isBelowThreshold }

    private var isBelowThreshold: Bool { t.contains { $0 <= Self.threshold } }

    /// Measures a subject until a run is below the threshold, at most ``runCount`` times.
    init(of subject: any Subject, count: Int) throws {
        while t.count < Self.runCount, !isBelowThreshold {
            var run = Run(subject)
            t.append(try run.t(count))
            median = run.median
        }
    }
}

/// One run of a case.
private struct Run {
    private let subject: any Subject
    private var generator = Generator()
    private var isFixed = [Bool](repeating: false, count: Batch.count)
    private var times = [UInt64](repeating: 0, count: Batch.count)
    private(set) var median: UInt64 = 0

    init(_ subject: any Subject) {
        self.subject = subject
    }

    /// Returns the largest |t| of a number of measurements, after a tenth of them for the calibration.
    mutating func t(_ count: Int) throws -> Double {
        var calibration: [UInt64] = []
        while calibration.count < min(count / 10, 100_000) {
            try measureBatch()
            calibration += times
        }
        calibration.sort()
        median = calibration[calibration.count / 2]

        var test = LeakageTest(calibration: calibration)
        for start in stride(from: 0, to: count, by: Batch.count) {
            try measureBatch()
            for index in 0..<min(Batch.count, count - start) { test.add(times[index], isFixed: isFixed[index]) }
        }
        return test.t
    }

    /// Measures a batch whose inputs are all prepared before, in random order of their classes.
    private mutating func measureBatch() throws {
        for index in times.indices {
            isFixed[index] = Bool.random(using: &generator)
            try subject.prepare(index, isFixed: isFixed[index], &generator)
        }
        for index in times.indices {
            subject.load(index)
            let start = CycleCounter.now()
            subject.run()
            times[index] = CycleCounter.now() &- start
        }
    }
}

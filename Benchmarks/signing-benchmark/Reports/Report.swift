/// Where measurements are written, each as soon as it is there.
protocol Report {
    /// Writes what comes before the first.
    func begin()

    /// Writes a case's measurement, and that of what it is compared with.
    func add(_ measurement: Measurement, comparedWith peer: Measurement?)
}

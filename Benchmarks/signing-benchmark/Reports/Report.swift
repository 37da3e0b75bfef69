/// An output format that writes each measurement when it is complete.
protocol Report {
    /// Writes the header.
    func begin()

    /// Writes a case's measurement and, if present, that of the OpenSSL counterpart.
    func add(_ measurement: Measurement, comparedWith peer: Measurement?)
}

/// An output format that writes each result when it is complete.
protocol Report {
    /// Writes the header.
    func begin()

    /// Writes a case's result and, if present, that of the OpenSSL counterpart.
    func add(_ result: Measurement, comparedWith peer: Measurement?)

    /// Writes the rest, given all results in order.
    func end(_ results: [Measurement])
}

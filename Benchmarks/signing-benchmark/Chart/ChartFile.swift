import HubCommandLine

extension FileOptions {
    /// Checks that the chart can be written.
    func checkChart() throws(UsageError) {
        guard let chart else { return }
        do {
            try AtomicFile.check(path: chart)
        } catch {
            throw UsageError("--chart: cannot write the file: \(error)")
        }
    }

    /// Writes the chart, if requested.
    func writeChart(_ results: [Measurement]) throws(ChartError) {
        guard let path = chart else { return }
        guard let chart = Chart(results) else {
            throw ChartError(description: "--chart: no result to draw; see --help")
        }
        do {
            try AtomicFile.write(Array(chart.svg.utf8), to: path)
        } catch {
            throw ChartError(description: "--chart: cannot write the file: \(error)")
        }
    }
}

/// A chart that cannot be drawn or written.
struct ChartError: Error, CustomStringConvertible {
    let description: String
}

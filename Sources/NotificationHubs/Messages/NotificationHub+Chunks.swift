extension NotificationHub {
    /// Sends the chunks that a predicate selects, one after the other.
    ///
    /// A chunk that is rejected for its content does not stop the send. Any other failure and a cancellation stop it.
    ///
    /// - Parameters:
    ///   - report: The chunks, with the results so far.
    ///   - isSelected: A predicate that returns whether to send a chunk.
    ///   - operation: A function that returns the operation that sends a chunk.
    /// - Returns: The report with the results of the chunks that were sent.
    /// - Throws: `CancellationError` or an error of the token source, if it occurs before the first chunk is sent.
    func sendChunks<Recipients>(
        of report: PushNotification.SendReport<Recipients>,
        where isSelected: (PushNotification.SendReport<Recipients>.Chunk) -> Bool = { _ in true },
        operation: (Recipients) throws -> Operation<PushNotification.Receipt>
    ) async throws -> PushNotification.SendReport<Recipients> {
        var report = report
        report.stopError = nil
        var hasSent = false
        for index in report.chunks.indices where isSelected(report.chunks[index]) {
            if report.stopError == nil, Task.isCancelled { report.stopError = CancellationError() }
            if let stopError = report.stopError {
                if !hasSent { throw stopError }
                break
            }
            let operation = try operation(report.chunks[index].recipients)
            do {
                report.chunks[index].status = .accepted(try await result(of: operation))
            } catch .hub(let error) {
                // A failed retry does not tell whether the service accepted the chunk before, unless it rejects the content.
                if error.isAboutContent || !report.chunks[index].status.isUncertain {
                    report.chunks[index].status = .init(error)
                }
                if !error.isAboutContent { report.stopError = error }
            } catch .cancelled(mayHaveBeenAccepted: true) {
                report.chunks[index].status = .uncertain(nil)
                report.stopError = CancellationError()
            } catch {
                // The chunk was not sent.
                if !hasSent { throw error.publicError }
                report.stopError = error.publicError
            }
            hasSent = true
        }
        return report
    }
}

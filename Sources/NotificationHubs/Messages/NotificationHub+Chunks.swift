extension NotificationHub {
    /// Sends the chunks that a predicate selects, one after the other.
    ///
    /// A chunk that is rejected for its content does not stop the send. Any other failure and a cancellation stop it.
    ///
    /// - Parameters:
    ///   - report: The chunks, with the results so far.
    ///   - isSelected: A predicate that returns whether to send a chunk.
    ///   - post: A function that sends one chunk. It sets its second parameter before it throws if the service may have accepted
    ///     the chunk.
    /// - Returns: The report with the results of the chunks that were sent.
    /// - Throws: `CancellationError` or an error of the token source, if it occurs before the first chunk is sent.
    func sendChunks<Recipients>(
        of report: PushNotification.SendReport<Recipients>,
        where isSelected: (PushNotification.SendReport<Recipients>.Chunk) -> Bool = { _ in true },
        post: (Recipients, _ mayHaveBeenAccepted: inout Bool) async throws -> PushNotification.Receipt
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
            var mayHaveBeenAccepted = false
            do {
                let receipt = try await post(report.chunks[index].recipients, &mayHaveBeenAccepted)
                report.chunks[index].status = .accepted(receipt)
            } catch let error as HubError {
                // A failed retry does not tell whether the service accepted the chunk before, unless it rejects the content.
                if error.isAboutContent || !report.chunks[index].status.isUncertain {
                    report.chunks[index].status = .init(error)
                }
                if !error.isAboutContent { report.stopError = error }
            } catch let error as CancellationError {
                if !hasSent, !mayHaveBeenAccepted { throw error }
                if mayHaveBeenAccepted { report.chunks[index].status = .uncertain(nil) }
                report.stopError = error
            } catch {
                // A transport's failures have the types above, so this error is from the token source.
                if !hasSent { throw error }
                report.stopError = error
            }
            hasSent = true
        }
        return report
    }
}

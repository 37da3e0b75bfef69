import HubText

extension NotificationHub {
    /// Sends a notification to many devices or tags, in as many requests as necessary.
    ///
    /// ```swift
    /// let report = try await hub.send(notification, to: .devices(channels))
    /// try report.requireComplete()
    /// ```
    ///
    /// If the service rejects a chunk because of its content, the remaining chunks are still sent. Any other failure and a
    /// cancellation stop the send, because they are likely to affect every chunk. The report contains the reason.
    ///
    /// - Returns: The result of each chunk, including those that were not sent. It is the only sign of a failure.
    /// - Throws: ``HubValidationError``, before anything is sent; `CancellationError` or an error of the token source, if it
    ///   occurs before the first chunk is sent. A ``HubError`` is part of the report.
    public func send(
        _ notification: PushNotification, to batch: PushNotification.Batch
    ) async throws -> PushNotification.SendReport {
        try await send(notification, to: .init(notSent: batch.chunks(for: notification))) { _ in true }
    }

    /// Retries the chunks of a send that were not sent, or were rejected for a reason other than their content.
    ///
    /// - Parameters:
    ///   - notification: The notification of the first send.
    ///   - report: The result of the first send, or of its last retry.
    ///   - includingUncertain: Whether to also retry chunks that may have been accepted. Their devices can then receive the
    ///     notification twice.
    /// - Returns: The result of the whole send, including the chunks that were not retried.
    /// - Throws: The same errors as the first send; ``HubValidationError`` also if there is no chunk to retry.
    public func send(
        _ notification: PushNotification, retrying report: PushNotification.SendReport,
        includingUncertain: Bool = false
    ) async throws -> PushNotification.SendReport {
        let retried = report.chunks.filter { $0.status.canRetry(includingUncertain: includingUncertain) }
        guard !retried.isEmpty else {
            throw HubValidationError(.missingDevices, "no chunk of the report can be retried")
        }
        for chunk in retried { try chunk.recipients.check(for: notification) }
        return try await send(notification, to: report) { $0.canRetry(includingUncertain: includingUncertain) }
    }

    /// Sends the chunks that a predicate selects, one after the other.
    ///
    /// - Parameter report: The chunks, with the results so far.
    private func send(
        _ notification: PushNotification, to report: PushNotification.SendReport,
        where isSelected: (PushNotification.ChunkStatus) -> Bool
    ) async throws -> PushNotification.SendReport {
        try check(notification)
        var report = report
        report.stopError = nil
        var hasSent = false
        for index in report.chunks.indices where isSelected(report.chunks[index].status) {
            if report.stopError == nil, Task.isCancelled { report.stopError = CancellationError() }
            if let stopError = report.stopError {
                if !hasSent { throw stopError }
                break
            }
            let operation = try notification.operation(to: report.chunks[index].recipients)
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

extension PushNotification {
    /// Returns the operation that sends the notification to the recipients of a chunk.
    fileprivate func operation(to recipients: SendReport.Recipients) throws -> Operation<Receipt> {
        switch recipients {
        case .devices(let channels):
            let body = MultipartBody(self, channels)
            return Operation(
                "sendBatch", .post, .batch, query: ["direct=true"],
                headers: requestHeaders(["Content-Type": body.contentType]), body: body.bytes, successes: [200, 201]
            ) { Receipt($0) }
        case .expression(let expression):
            return try Operation("send", self, Target.expression(expression).headers()) { Receipt($0) }
        }
    }
}

/// The body of a batch: the notification, and the devices' handles (RFC 2046 §5.1).
struct MultipartBody {
    let boundary: String
    let bytes: [UInt8]

    var contentType: String { "multipart/mixed; boundary=\"\(boundary)\"" }

    init(_ notification: PushNotification, _ channels: some Collection<PushChannel>) {
        let devices = JSONValue.array(channels.map { .string($0.handle) }).bytes
        let boundary = Self.boundary(notIn: [notification.body, devices])
        var body: [UInt8] = []
        func line(_ text: String) { body += Array(text.utf8) + [0x0d, 0x0a] }
        func part(_ contentType: String, _ name: String, _ content: [UInt8]) {
            line("--\(boundary)")
            line("Content-Type: \(contentType)")
            line("Content-Disposition: inline; name=\(name)")
            line("")
            body += content
            line("")
        }
        part(notification.contentType, "notification", notification.body)
        part("application/json", "devices", devices)
        line("--\(boundary)--")
        self.boundary = boundary
        bytes = body
    }

    private static let boundaryStart = Array("nh-boundary-".utf8)
    private static let digitCount = 8

    /// Returns the first numbered boundary that occurs in none of the contents. The result is deterministic.
    static func boundary(notIn contents: [[UInt8]]) -> String {
        var used: Set<Int> = []
        for content in contents {
            var rest = content[...]
            while let found = rest.firstRange(of: boundaryStart) {
                rest = rest[found.upperBound...]
                if let number = Int(String(decoding: rest.prefix(digitCount), as: UTF8.self)) { used.insert(number) }
            }
        }
        // One of `used.count + 1` numbers is free.
        let number = (0...used.count).first { !used.contains($0) } ?? 0
        return String(decoding: boundaryStart, as: UTF8.self) + number.padded(to: digitCount)
    }
}

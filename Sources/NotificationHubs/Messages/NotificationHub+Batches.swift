extension NotificationHub {
    /// Sends a notification to many devices, in chunks of at most 1,000. This requires a hub of the Basic or Standard tier.
    ///
    /// If the service rejects a chunk because of its content, the remaining chunks are still sent. Any other failure and a
    /// cancellation stop the send, because they are likely to affect every chunk. The report contains the reason.
    ///
    /// - Returns: The result of each chunk, including those that were not sent. It is the only sign of a failure.
    /// - Throws: ``HubValidationError``, before anything is sent; `CancellationError` or an error of the token source, if it
    ///   occurs before the first chunk is sent. A ``HubError`` is part of the report.
    public func send(
        _ notification: PushNotification, to batch: PushNotification.Batch
    ) async throws -> PushNotification.BatchReport {
        try batch.check(for: notification)
        return try await sendChunks(of: .init(notSent: batch.chunks)) { notification.operation(to: $0) }
    }

    /// Retries the chunks of a batch that were not sent, or were rejected for a reason other than their content.
    ///
    /// - Parameters:
    ///   - notification: The notification of the batch.
    ///   - report: The result of the batch, or of its last retry.
    ///   - includingUncertain: Whether to also retry chunks that may have been accepted. Their devices can then receive the
    ///     notification twice.
    /// - Returns: The result of the whole batch, including the chunks that were not retried.
    /// - Throws: The same errors as the first send; ``HubValidationError`` also if there is no chunk to retry.
    public func send(
        _ notification: PushNotification, retrying report: PushNotification.BatchReport,
        includingUncertain: Bool = false
    ) async throws -> PushNotification.BatchReport {
        let isRetried = { (chunk: PushNotification.BatchReport.Chunk) in
            chunk.status.canRetry(includingUncertain: includingUncertain)
        }
        let batch = PushNotification.Batch(chunks: report.chunks.filter(isRetried).map(\.channels))
        try batch.check(for: notification)
        return try await sendChunks(of: report, where: isRetried) { notification.operation(to: $0) }
    }
}

extension PushNotification {
    /// Returns the operation that sends the notification to the devices of a chunk.
    fileprivate func operation(to channels: [PushChannel]) -> Operation<Receipt> {
        let body = MultipartBody(self, channels)
        return Operation(
            "sendBatch", .post, .batch, query: ["direct=true"],
            headers: requestHeaders(["Content-Type": body.contentType]), body: body.bytes, successes: [200, 201]
        ) { Receipt($0) }
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
        let digits = String(number)
        return String(decoding: boundaryStart, as: UTF8.self)
            + String(repeating: "0", count: max(0, digitCount - digits.count)) + digits
    }
}

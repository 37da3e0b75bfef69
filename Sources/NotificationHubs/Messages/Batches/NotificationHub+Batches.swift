extension NotificationHub {
    /// Sends a notification to many devices, by the handles that their platform gave to them, a thousand at a time. This
    /// needs a hub of the Basic or Standard tier.
    ///
    /// A chunk that the service refuses for what is in it does not keep the others from being sent; any other failure ends
    /// the send, since the chunks behind it would meet it too. So does a cancellation, at once; what was sent before is in
    /// the report all the same, and is not to be sent again.
    ///
    /// - Returns: what became of each chunk, and from where to go on.
    /// - Throws: ``PushNotification/Invalid``, before anything is sent; `CancellationError`, or what the token source throws,
    ///   if it happens while no chunk has been sent.
    public func send(
        _ notification: PushNotification, to batch: PushNotification.Batch
    ) async throws -> PushNotification.BatchReport {
        typealias Report = PushNotification.BatchReport
        try batch.check(for: notification)
        var chunks: [Report.Chunk] = []
        var interruption: (any Error)?
        for channels in batch.chunks {
            if interruption == nil, Task.isCancelled { interruption = CancellationError() }
            guard interruption == nil else {
                if chunks.isEmpty { throw CancellationError() }
                chunks.append(Report.Chunk(channels: channels, fate: .unsent))
                continue
            }
            let fate: Report.Fate
            var mayBeTaken = false
            do {
                fate = .taken(try await post(notification, channels, &mayBeTaken))
            } catch let error as HubError {
                fate = Report.Fate(error)
                if ![.badRequest, .payloadTooLarge].contains(error.code) { interruption = error }
            } catch let error as CancellationError {
                if chunks.isEmpty, !mayBeTaken { throw error }
                fate = mayBeTaken ? .unknown(nil) : .unsent
                interruption = error
            } catch {
                // A transport's failures are of the other kinds: this one is the token source's.
                if chunks.isEmpty { throw error }
                fate = .unsent
                interruption = error
            }
            chunks.append(Report.Chunk(channels: channels, fate: fate))
        }
        return Report(chunks: chunks, interruption: interruption)
    }

    private func post(
        _ notification: PushNotification, _ channels: [PushChannel], _ mayBeTaken: inout Bool
    ) async throws -> PushNotification.Receipt {
        let body = MultipartBody(notification, channels)
        let call = call(
            .post, ["messages", "$batch"], flag: "direct=true",
            headers: notification.requestHeaders(["Content-Type": body.contentType]), body: body.bytes,
            accepting: [200, 201])
        return PushNotification.Receipt(try await call.run(&mayBeTaken))
    }
}

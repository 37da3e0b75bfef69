import NotificationHubs

extension HubState {
    /// Sends to many devices by their handles: one part of the body is the message, the other the handles.
    mutating func sendBatch(_ call: ServiceCall) throws(ServiceRefusal) -> HubResponse {
        guard call.tier != .free else { throw .tier("Batch direct send") }
        guard call.query.hasFlag("direct") else { throw .badRequest("A batch is sent with the query's flag direct") }
        let parts = try MultipartReader.parts(
            of: call.request.body, contentType: call.headers["Content-Type"] ?? "", atMost: 2)
        guard let part = parts["notification"], let handles = parts["devices"], parts.count == 2 else {
            throw .badRequest("A batch has two parts, whose names are notification and devices")
        }
        let message = try Message(call.headers, contentType: part.headers["Content-Type"], body: part.body)
        guard let platform = message.format.platform, platform != .browser else {
            throw .badRequest("A batch is in the words of a platform, and not for browsers")
        }
        guard case .array(let devices)? = try? NotificationHub.JSONValue(parsing: handles.body),
            !devices.isEmpty, devices.count <= PushNotification.Batch.maximumChunkCount
        else { throw .badRequest("The devices of a batch are a JSON array of 1 to 1000 handles") }
        var recipients: [Recipient] = []
        for case .string(let handle) in devices where !handle.isEmpty {
            recipients.append(Recipient(PushChannel(platform: platform, handle: handle)))
        }
        guard recipients.count == devices.count else { throw .badRequest("A device's handle is a text") }
        let id = notifications.newID(now: call.now)
        record(message, nil, to: recipients, id, call.location("messages/$batch", id), now: call.now)
        return call.accepted("messages/$batch", id)
    }
}

import HubText
public import NotificationHubs

#if canImport(FoundationEssentials)
import struct FoundationEssentials.Date
#else
import struct Foundation.Date
#endif

extension AppBackend {
    /// Sends a message, or tells of a payload, to the caller's own devices.
    func notify(_ request: Request, _ user: User) async throws -> Response {
        let query = try request.queryString()
        // The samples' apps may say a recipient, and this backend sends to no other user.
        if let recipient = query["to_tag"], User(name: recipient) != user {
            throw Refusal(403, "this backend sends only to the caller's own devices: to_tag must be the caller's name")
        }
        let text = try message(request)
        switch mode.kind {
        case .notifyUsers(let build):
            try await send(try chosen(by: query, of: build(text)), to: user)
        case .securePush(let push):
            try await send(text, by: push, query, to: user)
        }
        return Response(status: 200)
    }

    /// Answers with a payload of the caller's.
    ///
    /// - Parameter claims: whether the device is given it thereby.
    func payload(_ id: String, _ request: Request, of user: User, claims: Bool) async throws -> Response {
        guard case .securePush(let push) = mode.kind, let id = SecurePayload.ID(id) else { throw Refusal.notFound }
        let device = push.isReadOnce ? try Self.device(request) : nil
        guard let payload = try await push.store.payload(id, of: user), payload.user == user, payload.expiry > now()
        else {
            throw Refusal.notFound
        }
        if let device, claims {
            guard try await push.store.claim(id, of: user, by: device) else { throw Refusal.notFound }
        }
        return Response(status: 200, json: .object(["Id": id.json, "Payload": .string(payload.text)]))
    }

    private static func device(_ request: Request) throws -> String {
        guard let device = try request.queryString()["device"], (1...256).contains(device.utf8.count),
            device.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f })
        else {
            throw Refusal(400, "each device gets a payload once: add ?device= with the device's id")
        }
        return device
    }

    /// The text that a request brings: a JSON string, as the samples' apps send it, or an object with `message`; where it is
    /// kept and not shown, with `payload` as well.
    private func message(_ request: Request) throws -> String {
        let text: String?
        switch try request.json() {
        case nil: text = options.messageWithoutBody
        case .string(let string)?: text = string
        case let json?:
            let members = try Members(json)
            if case .securePush = mode.kind, let payload = try members.text("payload") {
                text = payload
            } else {
                text = try members.text("message")
            }
        }
        guard let text, !text.isEmpty else {
            throw Refusal(400, #"the body must be a non-empty JSON string or {"message":"…"}"#)
        }
        return text
    }

    /// The notifications for the one platform that a request may name, as the samples' apps do.
    private func chosen(by query: QueryString, of notifications: [PushNotification]) throws -> [PushNotification] {
        guard let word = query["pns"] else { return notifications }
        guard let platform = PushPlatform(appWord: word) else {
            throw Refusal(400, "unknown platform in \"pns\": expected \(PushPlatform.appWords)")
        }
        let chosen = notifications.filter { $0.platform == platform || $0.platform == nil }
        guard !chosen.isEmpty else { throw Refusal(400, "this backend sends nothing to the platform in \"pns\"") }
        return chosen
    }

    private func send(_ text: String, by push: SecurePush, _ query: QueryString, to user: User) async throws {
        let seconds = Double(push.lifetime.components.seconds) + Double(push.lifetime.components.attoseconds) * 1e-18
        let payload = SecurePayload(text: text, user: user, expiry: now().addingTimeInterval(seconds))
        let id: SecurePayload.ID
        do {
            id = try await push.store.insert(payload)
        } catch let limit as SecurePayloadStoreError {
            throw Refusal(limit, now: now())
        }
        do {
            try await send(try chosen(by: query, of: push.notifications(of: id)), to: user)
        } catch {
            // No device will ask for what none has heard of.
            if (error as? Refusal)?.isCertainlyUnsent ?? true { try? await push.store.remove(id, of: user) }
            throw error
        }
    }

    /// Sends notifications to a user's devices, all of them whatever becomes of one.
    private func send(_ notifications: [PushNotification], to user: User) async throws {
        let failures = await withTaskGroup(of: SendError.Part?.self) { group in
            for notification in notifications {
                group.addTask { [hub] in
                    do {
                        try await hub.send(notification, to: user.devices)
                        return nil
                    } catch {
                        return SendError.Part(platform: notification.platform, error: error)
                    }
                }
            }
            return await group.reduce(into: []) { $0 += $1.map { [$0] } ?? [] }
        }
        guard let first = failures.first else { return }
        let failure = SendError(
            parts: failures.sorted { $0.format < $1.format }, sentCount: notifications.count - failures.count)
        guard failure.sentCount == 0 else {
            throw Refusal(502, "not all of your devices were notified", cause: failure)
        }
        let refusal = Refusal(first.error)
        throw Refusal(refusal.status, refusal.text, headers: refusal.headers, cause: refusal.cause.map { _ in failure })
    }
}

extension AppBackend {
    /// Some or all notifications of a message were not sent.
    public struct SendError: Error, Sendable, CustomStringConvertible {
        /// A notification that was not sent.
        public struct Part: Sendable {
            /// The platform; `nil` for a template notification.
            public let platform: PushPlatform?
            /// The reason.
            public let error: any Error

            /// Creates a part.
            ///
            /// - Parameters:
            ///   - platform: The platform; `nil` for a template notification.
            ///   - error: The reason.
            public init(platform: PushPlatform?, error: any Error) {
                self.platform = platform
                self.error = error
            }

            fileprivate var format: String { platform?.format ?? "template" }
        }

        /// The notifications that were not sent.
        public let parts: [Part]
        /// The number of notifications that were sent.
        public let sentCount: Int

        /// Creates an error.
        ///
        /// - Parameters:
        ///   - parts: The notifications that were not sent.
        ///   - sentCount: The number of notifications that were sent.
        public init(parts: [Part], sentCount: Int) {
            self.parts = parts
            self.sentCount = sentCount
        }

        /// Formats and reasons, in one line.
        public var description: String {
            parts.map { "\($0.format): \($0.error)" }.joined(separator: "; ") + " (\(sentCount) sent)"
        }
    }
}

extension Refusal {
    /// Whether it tells of notifications none of which the hub can have taken.
    fileprivate var isCertainlyUnsent: Bool {
        guard let failure = cause as? AppBackend.SendError else { return true }
        return failure.sentCount == 0
            && failure.parts.allSatisfy { part in
                (part.error as? HubError).map { $0.code != .mayHaveBeenAccepted } ?? !(part.error is CancellationError)
            }
    }
}

import HubText
public import NotificationHubs

#if canImport(FoundationEssentials)
import struct FoundationEssentials.Date
#else
import struct Foundation.Date
#endif

extension AppBackend {
    /// Sends a message, or announces a payload, to the caller's own devices.
    func notify(_ request: Request, _ user: User) async throws -> Response {
        let query = try request.queryString()
        // The samples' apps may name a recipient; this backend accepts only the caller.
        if let recipient = query["to_tag"], User(name: recipient) != user {
            throw RequestError(
                403, "this backend sends only to the caller's own devices: to_tag must be the caller's name")
        }
        let text = try message(request)
        switch mode.kind {
        case .alerts:
            let notifications = try filter(Mode.alerts(text), by: query)
            // A platform would refuse a long message without a word.
            for notification in notifications { try notification.problems.throwFailure() }
            try await send(notifications, to: user)
        case .notifyUsers(let build):
            try await send(try filter(build(text), by: query), to: user)
        case .securePush(let push):
            try await send(text, by: push, query, to: user)
        }
        return Response(status: 200)
    }

    /// Returns one of the caller's payloads.
    ///
    /// - Parameter claims: Whether the request counts as the device's one read of the payload.
    func payload(_ id: String, _ request: Request, of user: User, claims: Bool) async throws -> Response {
        guard case .securePush(let push) = mode.kind, let id = SecurePayload.ID(id) else { throw RequestError.notFound }
        let device = push.isReadOnce ? try Self.device(request) : nil
        guard let payload = try await external({ try await push.store.payload(id, of: user) }), payload.user == user,
            payload.expiry > now()
        else {
            throw RequestError.notFound
        }
        if let device, claims {
            guard try await external({ try await push.store.claim(id, of: user, by: device) }) else {
                throw RequestError.notFound
            }
        }
        return Response(status: 200, json: .object(["Id": id.json, "Payload": .string(payload.text)]))
    }

    private static func device(_ request: Request) throws -> String {
        guard let device = try request.queryString()["device"], (1...256).contains(device.utf8.count),
            device.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f })
        else {
            throw RequestError(400, "missing or invalid device: each device can read a payload once, so add ?device=ID")
        }
        return device
    }

    /// Returns the text of a request: a JSON string, as the samples' apps send it, or the member `message` of an object.
    ///
    /// With secure push, the member `payload` is also accepted.
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
            throw RequestError(400, #"the body must be a non-empty JSON string or {"message":"…"}"#)
        }
        return text
    }

    /// Returns the notifications for the platform in the query's `pns` and the template notifications, or all notifications
    /// without `pns`.
    private func filter(_ notifications: [PushNotification], by query: QueryString) throws -> [PushNotification] {
        guard let name = query["pns"] else { return notifications }
        guard let platform = PushPlatform(appName: name) else {
            throw RequestError(400, "unknown platform in \"pns\": expected \(PushPlatform.appNames)")
        }
        let matching = notifications.filter { $0.platform == platform || $0.platform == nil }
        guard !matching.isEmpty else {
            throw RequestError(400, "this backend sends no notifications to the platform in \"pns\"")
        }
        return matching
    }

    private func send(_ text: String, by push: SecurePush, _ query: QueryString, to user: User) async throws {
        let seconds = Double(push.lifetime.components.seconds) + Double(push.lifetime.components.attoseconds) * 1e-18
        let payload = SecurePayload(text: text, user: user, expiry: now().addingTimeInterval(seconds))
        let id: SecurePayload.ID
        do {
            id = try await push.store.insert(payload)
        } catch let error as SecurePayloadStoreError {
            throw RequestError(error, now: now())
        } catch {
            throw RequestError.unavailable(error)
        }
        do {
            try await send(try filter(push.notifications(of: id), by: query), to: user)
        } catch {
            // No device will request a payload that was not announced.
            if (error as? RequestError)?.isCertainlyNotSent ?? true { try? await push.store.remove(id, of: user) }
            throw error
        }
    }

    /// Sends notifications to a user's devices. A failure does not stop the others.
    private func send(_ notifications: [PushNotification], to user: User) async throws {
        let failures = await withTaskGroup(of: SendError.Part?.self) { group in
            for notification in notifications {
                group.addTask { [hub] in
                    do {
                        _ = try await hub.send(notification, to: user.devices)
                        return nil
                    } catch {
                        return SendError.Part(platform: notification.platform, error: error)
                    }
                }
            }
            return await group.reduce(into: []) { $0 += $1.map { [$0] } ?? [] }
        }
        .sorted { $0.format < $1.format }
        guard let first = failures.first else { return }
        let failure = SendError(parts: failures, sentCount: notifications.count - failures.count)
        guard failure.sentCount == 0 else {
            throw RequestError(502, "not all of your devices were notified", cause: failure)
        }
        // A repeated request must not send a message twice that the hub may have accepted.
        let uncertain = failures.first(where: \.mayHaveBeenAccepted)
        let error = RequestError((uncertain ?? first).error)
        throw RequestError(error.status, error.message, headers: error.headers, cause: error.cause.map { _ in failure })
    }
}

extension AppBackend {
    /// An error that lists the notifications of a message that failed.
    public struct SendError: Error, Sendable, CustomStringConvertible {
        /// A notification that failed. It may have been sent if the error's code is `mayHaveBeenAccepted`.
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

            /// Whether the hub may have accepted the notification.
            fileprivate var mayHaveBeenAccepted: Bool {
                (error as? HubError).map { $0.code == .mayHaveBeenAccepted } ?? (error is CancellationError)
            }

            fileprivate var format: String { platform?.format ?? "template" }
        }

        /// The notifications that failed.
        public let parts: [Part]
        /// The number of notifications that were sent.
        public let sentCount: Int

        /// Creates an error.
        ///
        /// - Parameters:
        ///   - parts: The notifications that failed.
        ///   - sentCount: The number of notifications that were sent.
        public init(parts: [Part], sentCount: Int) {
            self.parts = parts
            self.sentCount = sentCount
        }

        /// The platforms and the reasons, in one line.
        public var description: String {
            parts.map { "\($0.format): \($0.error)" }.joined(separator: "; ") + " (\(sentCount) sent)"
        }
    }
}

extension RequestError {
    /// Whether the hub certainly accepted none of the notifications.
    fileprivate var isCertainlyNotSent: Bool {
        guard let failure = cause as? AppBackend.SendError else { return true }
        return failure.sentCount == 0 && !failure.parts.contains(where: \.mayHaveBeenAccepted)
    }
}

import NotificationHubs

#if canImport(FoundationEssentials)
import struct FoundationEssentials.Date
#else
import struct Foundation.Date
#endif

extension VerifyStep {
    /// Messages, which address only the run's tags, users and devices.
    static let messages =
        [
            VerifyStep("messages/template", [.send]) { run in
                let receipt = try await run.hub.send(.template(["message": "verify"]), to: .tag(run.names.tag))
                run.remember { $0.notifications["template"] = receipt.notificationID }
            }
        ] + PushPlatform.all.map(native) + targets + scheduled + outcomes + messageProbes

    private static func native(_ platform: PushPlatform) -> VerifyStep {
        VerifyStep("messages/native-\(platform)", [.send]) { run in
            try await run.hub.send(try VerifyRun.message(platform), to: .tag(run.names.tag))
        }
    }

    private static let targets = [
        VerifyStep("messages/expression", [.send]) { run in
            let expression = TagExpression.all(of: [run.names.tag, run.names.secondTag])
            try await run.hub.send(try VerifyRun.message(.apple), to: .expression(expression))
        },
        VerifyStep("messages/user", [.send]) { run in
            try await run.hub.send(try VerifyRun.message(.apple), to: .user(run.names.userID))
        },
        VerifyStep("messages/installation", [.send]) { run in
            try await run.hub.send(try VerifyRun.message(.apple), to: .installation(run.names.installation("apns")))
        },
        VerifyStep("messages/direct", [.send]) { run in
            try await run.hub.send(try VerifyRun.message(.apple), to: .device(run.names.channel(.apple)))
        },
        VerifyStep("messages/batch", [.send]) { run in
            try await run.hub.send(try VerifyRun.message(.apple), to: .devices([run.names.channel(.apple)]))
                .requireComplete()
        },
        // A test send reaches at most ten devices, so that one to the tag would depend on their order.
        VerifyStep("messages/test-template", [.send]) { run in
            let target = PushNotification.Target.installation(run.names.installation("expiring"))
            _ = try await run.hub.testSend(.template(["message": "verify"]), to: target)
        },
        VerifyStep("messages/test-apns", [.send]) { run in
            let target = PushNotification.Target.installation(run.names.installation("apns"))
            _ = try await run.hub.testSend(try VerifyRun.message(.apple), to: target)
        },
    ]

    private static let scheduled = [
        VerifyStep("messages/schedule", [.send], requests: 1) { run in
            let id = try await run.hub.schedule(
                .template(["message": "verify"]), to: .tag(run.names.tag), at: Date(timeIntervalSinceNow: 3600))
            run.remember { $0.notifications["scheduled"] = id }
        },
        VerifyStep("messages/cancel", [.send], after: "messages/schedule") { run in
            let id = try run.recall { $0.notifications["scheduled"] }
            try expect("the cancellation", try await run.hub.cancelScheduledNotification(id), true)
        },
    ]

    private static let outcomes = [
        VerifyStep("messages/outcome", [.send, .manage], writes: false, after: "messages/template") { run in
            guard let id = try? run.recall({ $0.notifications["template"] }) else {
                throw StepSkipped("the response has no message ID; only the Standard tier has telemetry")
            }
            do {
                _ = try await run.eventually("the telemetry") { try await run.hub.outcome(of: id) }
            } catch is StepFailure {
                throw StepSkipped(
                    "no telemetry after \(run.patience.limit.components.seconds) s; it can take 30 minutes; later, run: nhub outcome \(id)"
                )
            }
        },
        VerifyStep("messages/unknown-outcome", [.manage], writes: false) { run in
            try await run.expect(.notFound, .badRequest) {
                _ = try await run.hub.outcome(of: VerifyNames.unknownNotification)
            }
        },
    ]

    // MARK: Requests that the client does not send

    private static let messageProbes = [
        message("no-content-type", "A missing content type, or one that does not match the format", expects: 400) {
            ["ServiceBusNotification-Format": "apple", "ServiceBusNotification-Tags": $0.names.run]
        },
        message(
            "no-format", "A missing header `ServiceBusNotification-Format`, which the documentation calls optional",
            expects: 201
        ) { ["Content-Type": "application/json", "ServiceBusNotification-Tags": $0.names.run] },
        message("unknown-format", expects: 400) {
            [
                "Content-Type": "application/json", "ServiceBusNotification-Format": "verify",
                "ServiceBusNotification-Tags": $0.names.run,
            ]
        },
        message(
            "no-wns-type", "Windows without `X-WNS-Type`, or with a root element that does not match it", expects: 400,
            body: VerifyRun.toast
        ) {
            [
                "Content-Type": "application/xml", "ServiceBusNotification-Format": "windows",
                "ServiceBusNotification-Tags": $0.names.run,
            ]
        },
        message(
            "too-many-tags",
            "More than 20 tags in an expression with only `\\|\\|`, or more than 6 in other expressions",
            expects: 400
        ) { run in
            let tags = (1...21).map { "\(run.names.run)-\($0)" }.joined(separator: " || ")
            return template(tags)
        },
        message("braceless-user", "`$UserId:bob` without braces", expects: 400) {
            template("$UserId:\($0.names.run)-user")
        },
        probe(
            "messages/direct-test", [.send], assuming: "A direct test send", expects: 400, .post, { _ in "/messages" },
            query: "direct=true&test=true",
            headers: { run in
                [
                    "Content-Type": "application/json", "ServiceBusNotification-Format": "apple",
                    "ServiceBusNotification-DeviceHandle": run.names.channel(.apple).handle,
                ]
            }, body: { _ in #"{"aps":{"alert":"verify"}}"# }),
        probe(
            "messages/schedule-past", [.send], after: "messages/schedule", assuming: "The time of a scheduled message",
            expects: 400, .post,
            { _ in "/schedulednotifications" },
            headers: { run in
                var headers = template(run.names.run)
                headers["ServiceBusNotification-ScheduleTime"] = "2020-01-01T00:00:00"
                return headers
            }, body: { _ in #"{"message":"verify"}"# }),
        probe(
            "messages/cancel-unknown", [.send], after: "messages/schedule", expects: 404, .delete,
            { _ in "/schedulednotifications/\(VerifyNames.unknownNotification)" }),
    ]

    private static func message(
        _ name: String, _ assumption: String? = nil, expects status: Int, body: String = #"{"message":"verify"}"#,
        headers: @escaping @Sendable (VerifyRun) -> HubHeaders
    ) -> VerifyStep {
        probe(
            "messages/\(name)", [.send], assuming: assumption, expects: status, .post, { _ in "/messages" },
            headers: headers,
            body: { _ in body })
    }

    private static func template(_ tags: String) -> HubHeaders {
        [
            "Content-Type": "application/json", "ServiceBusNotification-Format": "template",
            "ServiceBusNotification-Tags": tags,
        ]
    }
}

extension VerifyRun {
    /// A message that the platform accepts.
    static func message(_ platform: PushPlatform) throws -> PushNotification {
        switch platform {
        case .apple: try .apple(#"{"aps":{"alert":"verify"}}"#)
        case .fcmV1: try .fcmV1(#"{"message":{"notification":{"body":"verify"}}}"#)
        case .gcm: try .gcm(#"{"data":{"message":"verify"}}"#)
        case .adm: try .adm(#"{"data":{"message":"verify"}}"#)
        case .baidu: try .baidu(#"{"title":"verify","description":"verify"}"#)
        case .browser: try .browser(#"{"title":"verify"}"#)
        case .windows: try .windows(xml: toast)
        case .windowsPhone: try .windowsPhone(xml: phoneToast)
        default: try .json(platform, #"{"payload":"verify"}"#)
        }
    }
}

import HubLock
import HubTestSupport
import NotificationHubs
import SharedAccessSignature
import Testing

@Suite struct BatchTests {
    private static let notification = Result { try PushNotification.apple(#"{"aps":{"alert":"Hello"}}"#) }

    @Test func `is the multipart body that the service takes, byte for byte`() async throws {
        let handles = try [PushChannel.apple(hexDeviceToken: "AB"), .apple(hexDeviceToken: "CD")]
        let request = try await TargetTests.request {
            _ = try await $0.send(Self.notification.get(), to: .devices(handles))
        }
        #expect(request.path == "/push/messages/$batch")
        #expect(Set(request.query.split(separator: "&")) == ["api-version=2020-06", "direct=true"])
        #expect(
            request.messageHeaders == [
                "content-type": "multipart/mixed; boundary=\"nh-boundary-00000000\"",
                "servicebusnotification-format": "apple", "apns-push-type": "alert", "apns-priority": "10",
            ])
        let lines = [
            "--nh-boundary-00000000", "Content-Type: application/json;charset=utf-8",
            "Content-Disposition: inline; name=notification", "", #"{"aps":{"alert":"Hello"}}"#,
            "--nh-boundary-00000000", "Content-Type: application/json", "Content-Disposition: inline; name=devices", "",
            #"["AB","CD"]"#, "--nh-boundary-00000000--", "",
        ]
        #expect(request.body == Array(lines.joined(separator: "\r\n").utf8))
    }

    @Test func `has a boundary that is in neither part`() async throws {
        let payload = #"{"data":{"a":"nh-boundary-00000000 nh-boundary-00000001nh-boundary-00000003 nh-boundary-x"}}"#
        let request = try await TargetTests.request {
            _ = try await $0.send(
                .fcmV1(.json(payload)),
                to: .devices([
                    .fcmV1(registrationToken: "nh-boundary-00000002"), .fcmV1(registrationToken: "nh-boundary-"),
                ]))
        }
        #expect(request.headers["Content-Type"] == "multipart/mixed; boundary=\"nh-boundary-00000004\"")
        #expect(request.bodyText.ranges(of: "nh-boundary-00000004").count == 3)
    }

    @Test(arguments: [(1, [1]), (1000, [1000]), (1001, [1000, 1]), (2500, [1000, 1000, 500])])
    func `is cut into thousands`(count: Int, sizes: [Int]) async throws {
        let handles = try (0..<count).map { try PushChannel.apple(hexDeviceToken: String(10000 + $0) + "A") }
        let transport = Self.answering { _ in .success(201) }
        let report = try await NotificationHub.scripted(transport).send(Self.notification.get(), to: .devices(handles))
        #expect(report.chunks.map(\.channels.count) == sizes)
        #expect(report.chunks.flatMap(\.channels) == handles)
        #expect(transport.requests.count == sizes.count)
        #expect(report.isComplete)
        #expect(!report.canRetry)
        for (index, chunk) in report.chunks.enumerated() {
            guard case .accepted(let receipt) = chunk.status else {
                Issue.record("\(chunk.status)")
                continue
            }
            #expect(receipt.notificationID?.rawValue == "NH-\(index)")
        }
    }

    @Test func `says of each chunk what became of it, and goes on from there`() async throws {
        let handles = try (0..<4500).map { try PushChannel.apple(hexDeviceToken: String(10000 + $0) + "A") }
        let notification = try Self.notification.get()
        let transport = Self.answering { index in
            switch index {
            case 1: .success(400)
            case 2: .failure(HubTransportError("reset", delivery: .unknown))
            default: .success(201)
            }
        }
        let report = try await NotificationHub.scripted(transport).send(notification, to: .devices(handles))
        #expect(
            report.chunks.map { Self.word($0.status) } == ["accepted", "rejected", "uncertain", "notSent", "notSent"])
        #expect((report.stopError as? HubError)?.code == .mayHaveBeenAccepted)
        #expect(transport.requests.count == 3)
        #expect(!report.isComplete)

        #expect(report.canRetry)
        #expect(report.rejectedChunks.map(\.channels) == [Array(handles[1000..<2000])])

        let second = Self.answering { _ in .success(201) }
        let retried = try await NotificationHub.scripted(second).send(notification, retrying: report)
        #expect(
            retried.chunks.map { Self.word($0.status) } == [
                "accepted", "rejected", "uncertain", "accepted", "accepted",
            ])
        #expect(retried.chunks.map(\.channels) == report.chunks.map(\.channels))
        #expect(second.requests.count == 2)
        #expect(retried.stopError == nil)
        #expect(!retried.canRetry, "a rejected chunk is rejected again, and an uncertain one may arrive twice")
        await #expect(throws: HubValidationError.self) {
            try await NotificationHub.scripted(second).send(notification, retrying: retried)
        }

        let third = try await NotificationHub.scripted(second).send(
            notification, retrying: retried, includingUncertain: true)
        #expect(
            third.chunks.map { Self.word($0.status) } == ["accepted", "rejected", "accepted", "accepted", "accepted"])
        #expect(second.requests.count == 3)
    }

    @Test(arguments: [400, 413])
    func `a retry loop ends although a chunk is rejected for its content`(status: Int) async throws {
        let handles = try (0..<1001).map { try PushChannel.apple(hexDeviceToken: String(10000 + $0) + "A") }
        let transport = Self.answering { .success($0 == 0 ? status : 201) }
        let hub = try NotificationHub.scripted(transport)
        var report = try await hub.send(Self.notification.get(), to: .devices(handles))
        while report.canRetry { report = try await hub.send(Self.notification.get(), retrying: report) }
        #expect(report.chunks.map { Self.word($0.status) } == ["rejected", "accepted"])
        #expect(transport.requests.count == 2)
    }

    @Test func `a retry waits as long as the service asks for`() async throws {
        let transport = Self.answering { _ in .success(201) }
        let busy = ScriptedTransport { _ in HubResponse(status: 429, headers: ["Retry-After": "7"]) }
        let options = NotificationHub.Options(retry: .never)
        let hub = try NotificationHub(
            connectionString: "Endpoint=sb://contoso.net/;SharedAccessKeyName=rule;SharedAccessKey=key",
            hubName: "push", transport: busy, options: options)
        let report = try await hub.send(
            Self.notification.get(), to: .devices([.apple(hexDeviceToken: "AB")]))
        #expect(report.retryAfter == .seconds(7))
        #expect(report.canRetry)
        let retried = try await NotificationHub.scripted(transport).send(Self.notification.get(), retrying: report)
        #expect(retried.isComplete)
    }

    @Test(arguments: [
        (HubTransportError.Delivery.notSent, "notSent"), (.unknown, "uncertain"),
    ])
    func `knows what a transport can tell`(delivery: HubTransportError.Delivery, word: String) async throws {
        let transport = Self.answering { _ in .failure(HubTransportError("x", delivery: delivery)) }
        let report = try await NotificationHub.scripted(transport).send(
            Self.notification.get(), to: .devices([.apple(hexDeviceToken: "AB")]))
        #expect(report.chunks.map { Self.word($0.status) } == [word])
    }

    @Test(arguments: [
        (400, "rejected"), (401, "rejected"), (403, "rejected"), (413, "rejected"), (500, "uncertain"),
        (408, "uncertain"),
    ])
    func `knows what a status can tell`(status: Int, word: String) async throws {
        let transport = Self.answering { _ in .success(status) }
        let report = try await NotificationHub.scripted(transport).send(
            Self.notification.get(), to: .devices([.apple(hexDeviceToken: "AB")]))
        #expect(report.chunks.map { Self.word($0.status) } == [word])
    }

    @Test(arguments: [
        (400, ["rejected", "accepted"]), (413, ["rejected", "accepted"]), (401, ["rejected", "notSent"]),
        (403, ["rejected", "notSent"]), (404, ["rejected", "notSent"]), (429, ["rejected", "notSent"]),
        (500, ["uncertain", "notSent"]),
    ])
    func `ends at what every chunk would meet, and not at what is in one`(status: Int, words: [String]) async throws {
        let handles = try (0..<1001).map { try PushChannel.apple(hexDeviceToken: String(10000 + $0) + "A") }
        let transport = Self.answering { .success($0 == 0 ? status : 201) }
        let report = try await NotificationHub.scripted(transport).send(Self.notification.get(), to: .devices(handles))
        #expect(report.chunks.map { Self.word($0.status) } == words)
        #expect((report.stopError as? HubError)?.status == (words.last == "notSent" ? status : nil))
    }

    @Test func `a failing token source ends it: alone it is thrown, behind a chunk it is in the report`() async throws {
        struct NoToken: Error {}
        /// Has as many tokens as it is given.
        struct Tokens: SASTokenSource {
            let left: Locked<Int>

            func token(for resource: String) async throws -> SASToken {
                guard
                    left.withLock({ value in
                        defer { value -= 1 }
                        return value > 0
                    })
                else { throw NoToken() }
                return SASSigner(key: SharedAccessKey(name: "n", secret: "s"), resource: resource)
                    .token(validFor: .seconds(100_000))
            }

            func token(
                replacing refused: SASToken, rejectedFor reason: SASTokenError.Code, for resource: String
            ) async throws -> SASToken? { nil }
        }
        let handles = try (0..<1001).map { try PushChannel.apple(hexDeviceToken: String(10000 + $0) + "A") }
        let transport = Self.answering { _ in .success(201) }
        func send(tokens: Int) async throws -> PushNotification.BatchReport {
            try await NotificationHub(
                endpoint: ServiceEndpoint(namespace: "contoso"), hubName: "push", tokens: Tokens(left: Locked(tokens)),
                transport: transport, options: .patient()
            ).send(Self.notification.get(), to: .devices(handles))
        }
        await #expect(throws: NoToken.self) { _ = try await send(tokens: 0) }
        #expect(transport.requests.isEmpty)
        let report = try await send(tokens: 1)
        #expect(report.chunks.map { Self.word($0.status) } == ["accepted", "notSent"])
        #expect(report.stopError is NoToken)
        #expect(report.canRetry)
    }

    @Test func `a cancellation ends it, and loses nothing of what was sent`() async throws {
        let handles = try (0..<3000).map { try PushChannel.apple(hexDeviceToken: String(10000 + $0) + "A") }
        let transport = Self.answering { $0 == 1 ? .failure(CancellationError()) : .success(201) }
        let report = try await NotificationHub.scripted(transport).send(Self.notification.get(), to: .devices(handles))
        #expect(report.chunks.map { Self.word($0.status) } == ["accepted", "uncertain", "notSent"])
        #expect(report.stopError is CancellationError)

        let untouched = Self.answering { _ in .success(201) }
        let hub = try NotificationHub.scripted(untouched)
        let notification = try Self.notification.get()
        let task = Task {
            unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
            return try await hub.send(notification, to: .devices(handles))
        }
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(untouched.requests.isEmpty)
    }

    @Test func `a chunk that was refused when a cancellation came is not called unknown`() async throws {
        let handles = try (0..<2000).map { try PushChannel.apple(hexDeviceToken: String(10000 + $0) + "A") }
        let transport = Self.answering { .success($0 == 0 ? 201 : 429) }
        let hub = try NotificationHub(
            connectionString: "Endpoint=sb://contoso.net/;SharedAccessKeyName=rule;SharedAccessKey=key",
            hubName: "push", transport: transport,
            options: .patient(retry: RetryPolicy(firstDelay: .seconds(3600))))
        let notification = try Self.notification.get()
        let task = Task { try await hub.send(notification, to: .devices(handles)) }
        while transport.requests.count < 2 { await Task.yield() }
        task.cancel()
        let report = try await task.value
        #expect(report.stopError is CancellationError)
        #expect(report.chunks.map { Self.word($0.status) } == ["accepted", "notSent"])
        #expect(report.canRetry)
    }

    @Test func `refuses an empty list, another platform's devices, and browsers`() async throws {
        let cases: [(PushNotification.Batch, PushNotification, HubValidationError.Code)] = try [
            (.devices([]), Self.notification.get(), .missingDevices),
            (
                .devices([.apple(hexDeviceToken: "AB"), .fcmV1(registrationToken: "x")]), Self.notification.get(),
                .platformMismatch
            ),
            (.devices([.browser(.init(endpoint: "e", p256dh: "p", auth: "a"))]), .browser("{}"), .platformMismatch),
        ]
        for (batch, notification, code) in cases {
            let error = try await TargetTests.refusal { _ = try await $0.send(notification, to: batch) }
            #expect(error?.code == code)
        }
    }

    /// A transport that answers each request by its number.
    private static func answering(_ answer: @escaping @Sendable (Int) -> Result<Int, any Error>) -> ScriptedTransport {
        let count = Locked(0)
        return ScriptedTransport { _ in
            let index = count.withLock { value in
                defer { value += 1 }
                return value
            }
            return HubResponse(
                status: try answer(index).get(),
                headers: ["Location": "https://h/push/messages/$batch/NH-\(index)?api-version=2020-06"])
        }
    }

    private static func word(_ fate: PushNotification.BatchReport.Chunk.Status) -> String {
        switch fate {
        case .accepted: "accepted"
        case .rejected: "rejected"
        case .uncertain: "uncertain"
        case .notSent: "notSent"
        }
    }
}

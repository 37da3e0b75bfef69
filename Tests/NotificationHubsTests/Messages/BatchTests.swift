import HubLock
import HubTestSupport
import NotificationHubs
import SharedAccessSignature
import Testing

@Suite struct BatchTests {
    private static let notification = Result { try PushNotification.apple(#"{"aps":{"alert":"Hello"}}"#) }

    @Test func `sends the exact multipart body`() async throws {
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

    @Test func `chooses a boundary that neither part contains`() async throws {
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
    func `splits devices into chunks of a thousand`(count: Int, sizes: [Int]) async throws {
        let handles = try (0..<count).map { try PushChannel.apple(hexDeviceToken: String(10000 + $0) + "A") }
        let transport = Self.transport { _ in .success(201) }
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

    @Test func `reports the status of each chunk and retries the rest`() async throws {
        let handles = try (0..<4500).map { try PushChannel.apple(hexDeviceToken: String(10000 + $0) + "A") }
        let notification = try Self.notification.get()
        let transport = Self.transport { index in
            switch index {
            case 1: .success(400)
            case 2: .failure(HubTransportError("reset", delivery: .unknown))
            default: .success(201)
            }
        }
        let report = try await NotificationHub.scripted(transport).send(notification, to: .devices(handles))
        #expect(
            report.chunks.map { Self.name($0.status) } == ["accepted", "rejected", "uncertain", "notSent", "notSent"])
        #expect((report.stopError as? HubError)?.code == .mayHaveBeenAccepted)
        #expect(transport.requests.count == 3)
        #expect(!report.isComplete)

        #expect(report.canRetry)
        #expect(report.rejectedChunks.map(\.channels) == [Array(handles[1000..<2000])])

        let second = Self.transport { _ in .success(201) }
        let retried = try await NotificationHub.scripted(second).send(notification, retrying: report)
        #expect(
            retried.chunks.map { Self.name($0.status) } == [
                "accepted", "rejected", "uncertain", "accepted", "accepted",
            ])
        #expect(retried.chunks.map(\.channels) == report.chunks.map(\.channels))
        #expect(second.requests.count == 2)
        #expect(retried.stopError == nil)
        #expect(!retried.canRetry, "neither the rejected nor the uncertain chunk can be retried")
        await #expect(throws: HubValidationError.self) {
            try await NotificationHub.scripted(second).send(notification, retrying: retried)
        }

        let third = try await NotificationHub.scripted(second).send(
            notification, retrying: retried, includingUncertain: true)
        #expect(
            third.chunks.map { Self.name($0.status) } == ["accepted", "rejected", "accepted", "accepted", "accepted"])
        #expect(second.requests.count == 3)
    }

    @Test(arguments: [
        (Result<Int, any Error>.success(429), "uncertain"), (.success(401), "uncertain"),
        (.failure(HubTransportError("refused", delivery: .notSent)), "uncertain"), (.success(400), "rejected"),
    ])
    func `keeps a chunk uncertain if a retry fails for a reason other than the content`(
        outcome: Result<Int, any Error>, expected: String
    ) async throws {
        let lost = Self.transport { _ in .failure(HubTransportError("reset", delivery: .unknown)) }
        let batch = PushNotification.Batch.devices([try .apple(hexDeviceToken: "AB")])
        let report = try await NotificationHub.scripted(lost).send(Self.notification.get(), to: batch)
        let hub = try NotificationHub.scripted(Self.transport { _ in outcome })
        let retried = try await hub.send(Self.notification.get(), retrying: report, includingUncertain: true)
        #expect(retried.chunks.map { Self.name($0.status) } == [expected])
        #expect(!retried.canRetry)
        #expect((retried.stopError == nil) == (expected == "rejected"))
    }

    @Test(arguments: [400, 413])
    func `ends a retry loop when a chunk is rejected for its content`(status: Int) async throws {
        let handles = try (0..<1001).map { try PushChannel.apple(hexDeviceToken: String(10000 + $0) + "A") }
        let transport = Self.transport { .success($0 == 0 ? status : 201) }
        let hub = try NotificationHub.scripted(transport)
        var report = try await hub.send(Self.notification.get(), to: .devices(handles))
        while report.canRetry { report = try await hub.send(Self.notification.get(), retrying: report) }
        #expect(report.chunks.map { Self.name($0.status) } == ["rejected", "accepted"])
        #expect(transport.requests.count == 2)
    }

    @Test func `reports the service's Retry-After`() async throws {
        let transport = Self.transport { _ in .success(201) }
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
    func `derives a chunk's status from the transport's error`(delivery: HubTransportError.Delivery, name: String)
        async throws
    {
        let transport = Self.transport { _ in .failure(HubTransportError("x", delivery: delivery)) }
        let report = try await NotificationHub.scripted(transport).send(
            Self.notification.get(), to: .devices([.apple(hexDeviceToken: "AB")]))
        #expect(report.chunks.map { Self.name($0.status) } == [name])
    }

    @Test(arguments: [
        (400, "rejected"), (401, "rejected"), (403, "rejected"), (413, "rejected"), (500, "uncertain"),
        (408, "uncertain"),
    ])
    func `derives a chunk's status from the response`(status: Int, name: String) async throws {
        let transport = Self.transport { _ in .success(status) }
        let report = try await NotificationHub.scripted(transport).send(
            Self.notification.get(), to: .devices([.apple(hexDeviceToken: "AB")]))
        #expect(report.chunks.map { Self.name($0.status) } == [name])
    }

    @Test(arguments: [
        (400, ["rejected", "accepted"]), (413, ["rejected", "accepted"]), (401, ["rejected", "notSent"]),
        (403, ["rejected", "notSent"]), (404, ["rejected", "notSent"]), (429, ["rejected", "notSent"]),
        (500, ["uncertain", "notSent"]),
    ])
    func `stops at a failure that affects every chunk`(status: Int, names: [String]) async throws {
        let handles = try (0..<1001).map { try PushChannel.apple(hexDeviceToken: String(10000 + $0) + "A") }
        let transport = Self.transport { .success($0 == 0 ? status : 201) }
        let report = try await NotificationHub.scripted(transport).send(Self.notification.get(), to: .devices(handles))
        #expect(report.chunks.map { Self.name($0.status) } == names)
        #expect((report.stopError as? HubError)?.status == (names.last == "notSent" ? status : nil))
    }

    @Test func `throws a token source's error before the first chunk and reports it later`() async throws {
        let handles = try (0..<1001).map { try PushChannel.apple(hexDeviceToken: String(10000 + $0) + "A") }
        let transport = Self.transport { _ in .success(201) }
        func send(tokens: Int) async throws -> PushNotification.SendReport {
            try await NotificationHub(
                endpoint: ServiceEndpoint(namespace: "contoso"), hubName: "push", tokens: LimitedTokens(count: tokens),
                transport: transport, options: .patient()
            ).send(Self.notification.get(), to: .devices(handles))
        }
        await #expect(throws: LimitedTokens.NoTokenError.self) { _ = try await send(tokens: 0) }
        #expect(transport.requests.isEmpty)
        let report = try await send(tokens: 1)
        #expect(report.chunks.map { Self.name($0.status) } == ["accepted", "notSent"])
        #expect(report.stopError is LimitedTokens.NoTokenError)
        #expect(report.canRetry)
    }

    @Test func `stops at a cancellation and reports the chunks that were sent`() async throws {
        let handles = try (0..<3000).map { try PushChannel.apple(hexDeviceToken: String(10000 + $0) + "A") }
        let transport = Self.transport { $0 == 1 ? .failure(CancellationError()) : .success(201) }
        let report = try await NotificationHub.scripted(transport).send(Self.notification.get(), to: .devices(handles))
        #expect(report.chunks.map { Self.name($0.status) } == ["accepted", "uncertain", "notSent"])
        #expect(report.stopError is CancellationError)

        let unused = Self.transport { _ in .success(201) }
        let hub = try NotificationHub.scripted(unused)
        let notification = try Self.notification.get()
        let task = Task {
            cancelCurrentTask()
            return try await hub.send(notification, to: .devices(handles))
        }
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(unused.requests.isEmpty)
    }

    @Test func `reports a chunk as not sent if it is cancelled before its request`() async throws {
        let handles = try (0..<1001).map { try PushChannel.apple(hexDeviceToken: String(10000 + $0) + "A") }
        let transport = Self.transport { _ in .success(201) }
        let hub = try NotificationHub(
            endpoint: ServiceEndpoint(namespace: "contoso"), hubName: "push", tokens: CancellingTokens(),
            transport: transport, options: .patient())
        let notification = try Self.notification.get()
        let report = try await Task { try await hub.send(notification, to: .devices(handles)) }.value
        #expect(report.stopError is CancellationError)
        #expect(report.chunks.map { Self.name($0.status) } == ["accepted", "notSent"])
        #expect(transport.requests.count == 1)
    }

    @Test func `reports a throttled chunk as not sent after a cancellation`() async throws {
        let handles = try (0..<2000).map { try PushChannel.apple(hexDeviceToken: String(10000 + $0) + "A") }
        let transport = Self.transport { .success($0 == 0 ? 201 : 429) }
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
        #expect(report.chunks.map { Self.name($0.status) } == ["accepted", "notSent"])
        #expect(report.canRetry)
    }

    @Test func `rejects an empty list, devices of another platform, and browsers`() async throws {
        let cases: [(PushNotification.Batch, PushNotification, HubValidationError.Code)] = try [
            (.devices([]), Self.notification.get(), .missingDevices),
            (
                .devices([.apple(hexDeviceToken: "AB"), .fcmV1(registrationToken: "x")]), Self.notification.get(),
                .platformMismatch
            ),
            (.devices([.browser(.init(endpoint: "e", p256dh: "p", auth: "a"))]), .browser("{}"), .platformMismatch),
        ]
        for (batch, notification, code) in cases {
            let error = try await TargetTests.validationError { _ = try await $0.send(notification, to: batch) }
            #expect(error?.code == code)
        }
    }

    /// Returns a transport that responds to each request by its index with a status or an error.
    private static func transport(_ status: @escaping @Sendable (Int) -> Result<Int, any Error>) -> ScriptedTransport {
        let count = Locked(0)
        return ScriptedTransport { _ in
            let index = count.withLock { value in
                defer { value += 1 }
                return value
            }
            return HubResponse(
                status: try status(index).get(),
                headers: ["Location": "https://h/push/messages/$batch/NH-\(index)?api-version=2020-06"])
        }
    }

    private static func name(_ status: PushNotification.ChunkStatus) -> String {
        switch status {
        case .accepted: "accepted"
        case .rejected: "rejected"
        case .uncertain: "uncertain"
        case .notSent: "notSent"
        }
    }
}

extension PushNotification.SendReport.Chunk {
    /// The devices of a chunk of devices.
    fileprivate var channels: [PushChannel] {
        if case .devices(let channels) = recipients { channels } else { [] }
    }
}

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
        #expect(report.remaining() == nil)
        for (index, chunk) in report.chunks.enumerated() {
            guard case .taken(let receipt) = chunk.fate else {
                Issue.record("\(chunk.fate)")
                continue
            }
            #expect(receipt.notificationID?.text == "NH-\(index)")
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
        #expect(report.chunks.map { Self.word($0.fate) } == ["taken", "refused", "unknown", "unsent", "unsent"])
        #expect((report.interruption as? HubError)?.code == .mayHaveBeenAccepted)
        #expect(transport.requests.count == 3)
        #expect(!report.isComplete)

        let rest = try #require(report.remaining())
        #expect(rest.count == 2500)
        #expect(report.remaining(includingUnknown: true)?.count == 3500)
        let second = Self.answering { _ in .success(201) }
        let rerun = try await NotificationHub.scripted(second).send(notification, to: rest)
        #expect(rerun.isComplete)
        #expect(rerun.chunks.flatMap(\.channels) == Array(handles[1000..<2000] + handles[3000...]))
    }

    @Test(arguments: [
        (HubTransportError.Delivery.unsent, "unsent"), (.unknown, "unknown"),
    ])
    func `knows what a transport can tell`(delivery: HubTransportError.Delivery, word: String) async throws {
        let transport = Self.answering { _ in .failure(HubTransportError("x", delivery: delivery)) }
        let report = try await NotificationHub.scripted(transport).send(
            Self.notification.get(), to: .devices([.apple(hexDeviceToken: "AB")]))
        #expect(report.chunks.map { Self.word($0.fate) } == [word])
    }

    @Test(arguments: [
        (400, "refused"), (401, "refused"), (403, "refused"), (413, "refused"), (500, "unknown"), (408, "unknown"),
    ])
    func `knows what a status can tell`(status: Int, word: String) async throws {
        let transport = Self.answering { _ in .success(status) }
        let report = try await NotificationHub.scripted(transport).send(
            Self.notification.get(), to: .devices([.apple(hexDeviceToken: "AB")]))
        #expect(report.chunks.map { Self.word($0.fate) } == [word])
    }

    @Test(arguments: [
        (400, ["refused", "taken"]), (413, ["refused", "taken"]), (401, ["refused", "unsent"]),
        (403, ["refused", "unsent"]), (404, ["refused", "unsent"]), (429, ["refused", "unsent"]),
        (500, ["unknown", "unsent"]),
    ])
    func `ends at what every chunk would meet, and not at what is in one`(status: Int, words: [String]) async throws {
        let handles = try (0..<1001).map { try PushChannel.apple(hexDeviceToken: String(10000 + $0) + "A") }
        let transport = Self.answering { .success($0 == 0 ? status : 201) }
        let report = try await NotificationHub.scripted(transport).send(Self.notification.get(), to: .devices(handles))
        #expect(report.chunks.map { Self.word($0.fate) } == words)
        #expect((report.interruption as? HubError)?.status == (words.last == "unsent" ? status : nil))
    }

    @Test func `a failing token source ends it: alone it is thrown, behind a chunk it is in the report`() async throws {
        struct NoToken: Error {}
        /// Has as many tokens as it is given.
        struct Tokens: SASTokenSource {
            let left: Locked<Int>

            func token(for resource: String, now: Int64?) async throws -> SASToken {
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
                inPlaceOf refused: SASToken, because reason: SASTokenRefusal, for resource: String, now: Int64?
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
        #expect(report.chunks.map { Self.word($0.fate) } == ["taken", "unsent"])
        #expect(report.interruption is NoToken)
        #expect(report.remaining()?.count == 1)
    }

    @Test func `a cancellation ends it, and loses nothing of what was sent`() async throws {
        let handles = try (0..<3000).map { try PushChannel.apple(hexDeviceToken: String(10000 + $0) + "A") }
        let transport = Self.answering { $0 == 1 ? .failure(CancellationError()) : .success(201) }
        let report = try await NotificationHub.scripted(transport).send(Self.notification.get(), to: .devices(handles))
        #expect(report.chunks.map { Self.word($0.fate) } == ["taken", "unknown", "unsent"])
        #expect(report.interruption is CancellationError)

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
        #expect(report.interruption is CancellationError)
        #expect(report.remaining()?.count == 1000)
    }

    @Test func `refuses an empty list, another platform's devices, and browsers`() async throws {
        let cases: [(PushNotification.Batch, PushNotification, PushNotification.Invalid.Reason)] = try [
            (.devices([]), Self.notification.get(), .noDevices),
            (
                .devices([.apple(hexDeviceToken: "AB"), .fcmV1(registrationToken: "x")]), Self.notification.get(),
                .platformMismatch
            ),
            (.devices([.browser(.init(endpoint: "e", p256dh: "p", auth: "a"))]), .browser("{}"), .platformMismatch),
        ]
        for (batch, notification, reason) in cases {
            let error = try await TargetTests.refusal { _ = try await $0.send(notification, to: batch) }
            #expect(error?.reason == reason)
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

    private static func word(_ fate: PushNotification.BatchReport.Fate) -> String {
        switch fate {
        case .taken: "taken"
        case .refused: "refused"
        case .unknown: "unknown"
        case .unsent: "unsent"
        }
    }
}

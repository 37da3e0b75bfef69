import HubLock
import NotificationHubs
import Testing

/// Sends to more tags than the service accepts in one expression.
@Suite struct FanOutTests {
    private static let notification = PushNotification.template(["message": "Hello"])

    private static func tags(_ count: Int) throws -> [NotificationHub.Tag] {
        try (0..<count).map { try NotificationHub.Tag(validating: "t\($0)") }
    }

    /// Sends to tags, and returns the tags of each request.
    private func expressions(
        _ tags: [NotificationHub.Tag], excluding excluded: [NotificationHub.Tag] = []
    ) async throws -> [String] {
        let transport = ScriptedTransport.accepting()
        let report = try await NotificationHub.scripted(transport).send(
            Self.notification, to: .anyOf(tags, excluding: excluded))
        #expect(report.isComplete && report.receipts.count == transport.requests.count)
        try report.requireComplete()
        let headers = transport.requests.map { $0.headers["ServiceBusNotification-Tags"] ?? "broadcast" }
        #expect(report.chunks.map { $0.text } == headers)
        return headers
    }

    @Test(arguments: [(1, [1]), (20, [20]), (21, [20, 1]), (40, [20, 20]), (45, [20, 20, 5])])
    func `splits tags into the fewest expressions`(count: Int, sizes: [Int]) async throws {
        let tags = try Self.tags(count)
        let sent = try await expressions(tags).map { $0.split(separator: " || ") }
        #expect(sent.map(\.count) == sizes)
        #expect(sent.flatMap(\.self).map(String.init) == tags.map(\.rawValue))
    }

    @Test(arguments: [(1, 5, [1]), (4, 2, [4]), (5, 2, [4, 1]), (3, 5, [1, 1, 1]), (20, 1, [5, 5, 5, 5])])
    func `excludes tags within the limit of each expression`(
        count: Int, excludedCount: Int, sizes: [Int]
    ) async throws {
        let excluded = try (0..<excludedCount).map { try NotificationHub.Tag(validating: "x\($0)") }
        let sent = try await expressions(Self.tags(count), excluding: excluded)
        #expect(sent.map { try? TagExpression(validating: $0).tagCount } == sizes.map { $0 + excludedCount })
        for text in sent {
            let expression = try TagExpression(validating: text)
            for tag in excluded {
                #expect(!expression.isTrue { $0 == .tag("t0") || $0 == .tag(tag) })
            }
        }
        #expect(try TagExpression(validating: sent[0]).isTrue { $0 == .tag("t0") })
    }

    @Test func `writes an exclusion after the alternatives`() async throws {
        #expect(try await expressions(["a", "b"], excluding: ["x"]) == ["(a || b) && !x"])
        #expect(try await expressions(["a"], excluding: ["x", "y"]) == ["a && !(x || y)"])
    }

    @Test func `ignores duplicates and excluded tags`() async throws {
        let tags = try Self.tags(20)
        #expect(try await expressions(tags + tags.reversed()).count == 1)
        #expect(try await expressions(["b", "a", "b", "x"], excluding: ["x", "x"]) == ["(b || a) && !x"])
    }

    @Test func `rejects tags that no expression can select before sending`() async throws {
        let stored = try JSONTags.decode(#"["a b"]"#)
        let large = PushNotification.template(["a": String(repeating: "x", count: PushNotification.maximumByteCount)])
        let some = try Self.tags(40)
        let cases: [(PushNotification, [NotificationHub.Tag], [NotificationHub.Tag], HubValidationError.Code)] = [
            (Self.notification, [], [], .missingTags), (Self.notification, ["a"], ["a"], .missingTags),
            (Self.notification, ["a"], Array(some[..<6]), .tooManyTags),
            (Self.notification, some + stored, [], .invalidTag), (Self.notification, some, stored, .invalidTag),
            (large, some, [], .payloadTooLarge),
        ]
        for (notification, tags, excluded, code) in cases {
            let error = try await TargetTests.validationError {
                try await $0.send(notification, to: .anyOf(tags, excluding: excluded))
            }
            #expect(error?.code == code)
        }
    }

    /// Returns a transport that responds to each request by its index with a status.
    private static func transport(_ status: @escaping @Sendable (Int) -> Int) -> ScriptedTransport {
        let count = Locked(0)
        return ScriptedTransport { _ in
            let index = count.withLock { value in
                defer { value += 1 }
                return value
            }
            return HubResponse(status: status(index))
        }
    }

    @Test func `reports each expression and retries those that were not sent`() async throws {
        let transport = Self.transport { [201, 400, 401][$0] }
        let report = try await NotificationHub.scripted(transport).send(Self.notification, to: .anyOf(Self.tags(80)))
        #expect(transport.requests.count == 3)
        let tagCounts = try report.chunks.map { try TagExpression(validating: $0.text).tagCount }
        #expect(tagCounts == [20, 20, 20, 20])
        #expect(report.failedChunks == Array(report.chunks[1...]))
        #expect(report.rejectedChunks == Array(report.chunks[1...2]))
        #expect((report.stopError as? HubError)?.status == 401)
        #expect(throws: HubError.self) { try report.requireComplete() }

        let second = Self.transport { _ in 201 }
        let retried = try await NotificationHub.scripted(second).send(Self.notification, retrying: report)
        #expect(
            second.requests.map { $0.headers["ServiceBusNotification-Tags"] }
                == report.chunks[2...].map { $0.text })
        #expect(retried.failedChunks == [report.chunks[1]])
        #expect(retried.stopError == nil && !retried.canRetry)
        let rejection = #expect(throws: HubError.self) { try retried.requireComplete() }
        #expect(rejection?.status == 400)

        let error = try await TargetTests.validationError { try await $0.send(Self.notification, retrying: retried) }
        #expect(error?.code == .missingDevices)
    }

    @Test func `retries an uncertain expression only on request`() async throws {
        let report = try await NotificationHub.scripted(Self.transport { _ in 500 }).send(
            Self.notification, to: .anyOf(Self.tags(2)))
        guard case .uncertain? = report.chunks.first?.status else {
            Issue.record("\(report.chunks)")
            return
        }
        #expect(!report.isComplete && !report.canRetry)
        let retried = try await NotificationHub.scripted(.accepting()).send(
            Self.notification, retrying: report, includingUncertain: true)
        try retried.requireComplete()
    }
}

extension PushNotification.SendReport.Chunk {
    /// The expression of a chunk of tags.
    fileprivate var text: String {
        if case .expression(let expression) = recipients { "\(expression)" } else { "" }
    }
}

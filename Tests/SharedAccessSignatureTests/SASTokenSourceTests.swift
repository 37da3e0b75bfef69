import HubLock
import HubTestSupport
import SharedAccessSignature
import Testing

@Suite struct SASSigningSourceTests {
    static let hub = "https://h/hub"
    let primary = SharedAccessKey(name: "rule", secret: "primary")
    let secondary = SharedAccessKey(name: "rule", secret: "secondary")

    @Test func `reuses a token until five minutes before its expiry`() {
        let source = SASSigningSource(key: primary)
        #expect(source.token(for: Self.hub, now: 0).unverifiedClaims.expiry == 3600)
        #expect(source.token(for: Self.hub, now: 3299).unverifiedClaims.expiry == 3600)
        #expect(source.token(for: Self.hub, now: 3300).unverifiedClaims.expiry == 6900)
    }

    @Test func `renews a short-lived token in its last quarter`() {
        let source = SASSigningSource(key: primary, lifetime: .seconds(100))
        #expect(source.token(for: Self.hub, now: 0).unverifiedClaims.expiry == 100)
        #expect(source.token(for: Self.hub, now: 74).unverifiedClaims.expiry == 100)
        #expect(source.token(for: Self.hub, now: 75).unverifiedClaims.expiry == 175)
    }

    @Test func `renews at the given margin`() {
        let source = SASSigningSource(key: primary, renewingBefore: .seconds(10))
        _ = source.token(for: Self.hub, now: 0)
        #expect(source.token(for: Self.hub, now: 3589).unverifiedClaims.expiry == 3600)
        #expect(source.token(for: Self.hub, now: 3590).unverifiedClaims.expiry == 7190)
    }

    @Test func `signs again after the clock is set back`() {
        let source = SASSigningSource(key: primary)
        #expect(source.token(for: Self.hub, now: 100_000).unverifiedClaims.expiry == 103_600)
        #expect(source.token(for: Self.hub, now: 0).unverifiedClaims.expiry == 3600)
    }

    @Test func `limits the expiry to the largest integer`() {
        let source = SASSigningSource(key: primary, lifetime: .seconds(Int64.max))
        #expect(source.token(for: Self.hub, now: 5).unverifiedClaims.expiry == .max)
    }

    @Test func `returns a token for each of many resources`() {
        let source = SASSigningSource(key: primary)
        let other = source.token(for: "https://h/other", now: 0)
        #expect(other.unverifiedClaims.resource == "https://h/other")
        #expect(source.token(for: Self.hub, now: 0).unverifiedClaims.resource == Self.hub)
        #expect(source.token(for: "https://h/other", now: 9).headerValue == other.headerValue)
        let equivalent = source.token(for: "https://h/e\u{301}", now: 9).headerValue
        #expect(source.token(for: "https://h/\u{e9}", now: 9).headerValue != equivalent)
        for number in 0..<3000 {
            #expect(source.token(for: "https://h/\(number)", now: 9).unverifiedClaims.resource == "https://h/\(number)")
        }
    }

    @Test func `switches keys after a rejected signature`() throws {
        let source = SASSigningSource(key: primary, secondary: secondary)
        let first = source.token(for: Self.hub, now: 0)
        #expect(try signer(first) == "primary")
        let second = try #require(replacement(source, for: first, now: 1))
        #expect(try signer(second) == "secondary")
        #expect(source.token(for: Self.hub, now: 2).headerValue == second.headerValue)
        // Another call's token with the first key was rejected too.
        #expect(replacement(source, for: first, now: 2)?.headerValue == second.headerValue)
        #expect(try signer(try #require(replacement(source, for: second, now: 3))) == "primary")
    }

    @Test func `returns nil for a rejected token with one key`() {
        let source = SASSigningSource(key: primary)
        #expect(
            source.token(replacing: source.token(for: Self.hub), rejectedFor: .invalidSignature, for: Self.hub) == nil)
    }

    @Test func `returns nil for a rejected token with two equal keys`() {
        let source = SASSigningSource(key: primary, secondary: SharedAccessKey(name: "rule", secret: "primary"))
        let first = source.token(for: Self.hub, now: 0)
        #expect(replacement(source, for: first, now: 1) == nil)
    }

    @Test func `caches tokens for 1024 resources`() {
        let source = SASSigningSource(key: primary)
        func expiry(_ resource: String, now: Int64) -> Int64 {
            source.token(for: "https://h/\(resource)", now: now).unverifiedClaims.expiry
        }
        for number in 0..<1024 { #expect(expiry("\(number)", now: 0) == 3600) }
        for number in 0..<1024 { #expect(expiry("\(number)", now: 9) == 3600) }
        #expect(expiry("more", now: 9) == 3609)
        #expect(expiry("0", now: 10) == 3610)
    }

    @Test(.blocking) func `traps for a lifetime under one second and for a negative margin`() async {
        _ = SASSigningSource(key: primary, lifetime: .seconds(1), renewingBefore: .zero)
        await #expect(processExitsWith: .failure) {
            _ = SASSigningSource(key: SharedAccessKey(name: "n", secret: "k"), lifetime: .milliseconds(999))
        }
        await #expect(processExitsWith: .failure) {
            _ = SASSigningSource(key: SharedAccessKey(name: "n", secret: "k"), renewingBefore: .seconds(-1))
        }
    }

    @Test func `tolerates small clock differences between callers`() {
        let source = SASSigningSource(key: primary)
        #expect(source.token(for: Self.hub, now: 100).unverifiedClaims.expiry == 3700)
        #expect(source.token(for: Self.hub, now: 90).unverifiedClaims.expiry == 3700)
        #expect(source.token(for: Self.hub, now: 89).unverifiedClaims.expiry == 3689)
    }

    @Test func `accepts the smallest integer as the current time`() {
        let source = SASSigningSource(key: primary)
        for _ in 0..<2 { #expect(source.token(for: Self.hub, now: .min).unverifiedClaims.expiry == 0) }
    }

    @Test func `clamps sums and differences to the range of the type`() {
        #expect(Int64.max.subtractingSaturated(-1) == .max)
        #expect(Int64.min.subtractingSaturated(1) == .min)
        #expect(Int64.max.subtractingSaturated(1) == .max - 1)
    }

    @Test func `signs with new keys immediately`() throws {
        let source = SASSigningSource(key: primary)
        let first = source.token(for: Self.hub, now: 0)
        source.replaceKeys(with: secondary)
        #expect(try signer(source.token(for: Self.hub, now: 0)) == "secondary")
        #expect(try signer(try #require(replacement(source, for: first, now: 0))) == "secondary")
    }

    @Test func `shares a token among tasks and copies`() async {
        let source = SASSigningSource(key: primary)
        let tokens = await withTaskGroup(of: String.self) { group in
            for _ in 0..<100 { group.addTask { [source] in source.token(for: Self.hub, now: 5).headerValue } }
            return await group.reduce(into: Set()) { $0.insert($1) }
        }
        #expect(tokens.count == 1)
    }

    @Test func `signs again with the same key after an expired token`() throws {
        let source = SASSigningSource(key: primary, secondary: secondary)
        let first = source.token(for: Self.hub, now: 0)
        let second = try #require(source.token(replacing: first, rejectedFor: .expired, for: Self.hub, now: 5))
        #expect(try signer(second) == "primary")
        #expect(second.unverifiedClaims.expiry == 3605)
        #expect(
            source.token(replacing: second, rejectedFor: .expired, for: Self.hub, now: 5) == nil,
            "the new token is the same")
    }

    private func replacement(_ source: SASSigningSource, for rejected: SASToken, now: Int64) -> SASToken? {
        source.token(replacing: rejected, rejectedFor: .invalidSignature, for: Self.hub, now: now)
    }

    private func signer(_ token: SASToken) throws -> String {
        for (name, key) in [("primary", primary), ("secondary", secondary)] {
            let verifier = SASVerifier(keys: [key])
            if (try? verifier.verify(token, for: SASResource(Self.hub), now: 0)) != nil { return name }
        }
        return "unknown"
    }
}

@Suite struct SASFetchingSourceTests {
    static let hub = "https://h/hub"
    static let key = SharedAccessKey(name: "rule", secret: "secret")
    private let calls = Locked<[String]>([])

    /// Returns a source whose closure records its calls and returns a token with each of the given expiries.
    private func source(expiries: [Int64]) -> SASFetchingSource {
        SASFetchingSource { [calls] resource in
            let count = calls.withLock {
                $0.append(resource)
                return $0.count
            }
            await Task.yield()
            guard count <= expiries.count else { throw OutOfTokens() }
            return SASSigner(key: Self.key, resource: resource).token(expiringAt: expiries[count - 1])
        }
    }

    private struct OutOfTokens: Error {}

    @Test func `renews a token in its last quarter, at most five minutes before its expiry`() async throws {
        let source = source(expiries: [100, 4000, 9000])
        for (now, expiry) in [(0, 100), (74, 100), (75, 4000), (3699, 4000), (3700, 9000)] as [(Int64, Int64)] {
            #expect(try await source.token(for: Self.hub, now: now).unverifiedClaims.expiry == expiry)
        }
        #expect(calls.withLock { $0 } == [Self.hub, Self.hub, Self.hub])
    }

    @Test func `fetches once for concurrent callers`() async throws {
        let source = source(expiries: [100])
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<100 { group.addTask { _ = try await source.token(for: Self.hub, now: 0) } }
            try await group.waitForAll()
        }
        #expect(calls.withLock { $0 }.count == 1)
    }

    @available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *)
    @Test func `cancels a caller without cancelling the fetch for others`() async throws {
        let (starts, started) = AsyncStream<Void>.makeStream()
        let (gate, opener) = AsyncStream<Void>.makeStream()
        let source = SASFetchingSource { resource in
            started.yield()
            for await _ in gate { break }
            try Task.checkCancellation()
            return SASSigner(key: Self.key, resource: resource).token(expiringAt: 100)
        }
        let waiting = Task { try await source.token(for: Self.hub, now: 0) }
        for await _ in starts { break }
        let cancelled = Task.immediate { try await source.token(for: Self.hub, now: 0) }
        // The source handles calls in order, so the immediate task waits for the fetch after this call.
        _ = await source.cachedToken(for: Self.hub)
        cancelled.cancel()
        await #expect(throws: CancellationError.self) { try await cancelled.value }
        opener.yield()
        #expect(try await waiting.value.unverifiedClaims.expiry == 100)
    }

    @Test func `cancels the fetch when all callers are cancelled`() async throws {
        let (starts, started) = AsyncStream<Void>.makeStream()
        let (ends, ended) = AsyncStream<Bool>.makeStream()
        let source = SASFetchingSource { resource in
            started.yield()
            try? await Task.sleep(for: .seconds(3600))
            ended.yield(Task.isCancelled)
            throw CancellationError()
        }
        let waiting = Task { try await source.token(for: Self.hub, now: 0) }
        for await _ in starts { break }
        waiting.cancel()
        for await isCancelled in ends {
            #expect(isCancelled)
            break
        }
        await #expect(throws: CancellationError.self) { try await waiting.value }
    }

    @Test func `discards the token of a fetch whose callers were all cancelled`() async throws {
        let (starts, started) = AsyncStream<Void>.makeStream()
        let (gate, opener) = AsyncStream<Void>.makeStream()
        let (ends, ended) = AsyncStream<Void>.makeStream()
        let source = SASFetchingSource { [calls] resource in
            let number = calls.withLock {
                $0.append(resource)
                return $0.count
            }
            started.yield()
            guard number == 1 else {
                for await _ in gate { break }
                return SASSigner(key: Self.key, resource: resource).token(expiringAt: 200)
            }
            while !Task.isCancelled { await Task.yield() }
            ended.yield()
            return SASSigner(key: Self.key, resource: resource).token(expiringAt: 100)
        }
        var start = starts.makeAsyncIterator()
        let cancelled = Task { try await source.token(for: Self.hub, now: 0) }
        await start.next()
        cancelled.cancel()
        await #expect(throws: CancellationError.self) { try await cancelled.value }
        let waiting = Task { try await source.token(for: Self.hub, now: 0) }
        await start.next()
        for await _ in ends { break }
        for _ in 0..<100 { await Task.yield() }
        opener.yield()
        #expect(try await waiting.value.unverifiedClaims.expiry == 200)
    }

    @Test func `does not fetch for a cancelled caller`() async throws {
        let source = source(expiries: [100])
        let caller = Task {
            while !Task.isCancelled { await Task.yield() }
            return try await source.token(for: Self.hub, now: 0)
        }
        caller.cancel()
        await #expect(throws: CancellationError.self) { try await caller.value }
        #expect(calls.withLock { $0 }.isEmpty)
    }

    @Test(.blocking) func `traps for a negative margin`() async {
        _ = SASFetchingSource(renewingBefore: .zero) { _ in throw CancellationError() }
        await #expect(processExitsWith: .failure) {
            _ = SASFetchingSource(renewingBefore: .seconds(-1)) { _ in throw CancellationError() }
        }
    }

    @Test func `caches tokens for 1024 resources`() async throws {
        let source = source(expiries: [Int64](repeating: 1000, count: 3000))
        for number in 0...1024 { _ = try await source.token(for: "https://h/\(number)", now: 0) }
        _ = try await source.token(for: "https://h/1024", now: 0)
        #expect(calls.withLock { $0 }.count == 1025)
        _ = try await source.token(for: "https://h/0", now: 0)
        #expect(calls.withLock { $0 }.count == 1026)
    }

    @Test func `returns tokens through the protocol`() async throws {
        struct Fixed: SASTokenSource {
            func token(for resource: String) async throws -> SASToken {
                SASSigner(key: SASFetchingSourceTests.key, resource: resource).token(expiringAt: 7)
            }
        }
        let sources: [any SASTokenSource] = [source(expiries: [Int64.max]), Fixed(), SASSigningSource(key: Self.key)]
        for source in sources {
            #expect(try await source.token(for: Self.hub).unverifiedClaims.resource == Self.hub)
        }
        let token = try await Fixed().token(for: Self.hub)
        #expect(try await Fixed().token(replacing: token, rejectedFor: .expired, for: Self.hub) == nil)
    }

    @Test func `fetches a token for each resource`() async throws {
        let source = source(expiries: [100, 100])
        #expect(try await source.token(for: "https://h/a", now: 0).unverifiedClaims.resource == "https://h/a")
        #expect(try await source.token(for: "https://h/b", now: 0).unverifiedClaims.resource == "https://h/b")
    }

    @Test func `rethrows the closure's error and fetches again`() async throws {
        let source = source(expiries: [])
        for _ in 0..<2 {
            await #expect(throws: OutOfTokens.self) { try await source.token(for: Self.hub, now: 0) }
        }
        #expect(calls.withLock { $0 }.count == 2)
    }

    @Test func `fetches a replacement for a rejected token and returns nil if it is the same`() async throws {
        let source = source(expiries: [100, 200, 200])
        let first = try await source.token(for: Self.hub, now: 0)
        let second = try await source.token(replacing: first, rejectedFor: .invalidSignature, for: Self.hub, now: 0)
        #expect(second?.unverifiedClaims.expiry == 200)
        let again = try await source.token(replacing: first, rejectedFor: .invalidSignature, for: Self.hub, now: 0)
        #expect(again?.unverifiedClaims.expiry == 200)
        #expect(calls.withLock { $0 }.count == 2)
        let same = try await source.token(
            replacing: try #require(second), rejectedFor: .invalidSignature, for: Self.hub, now: 0)
        #expect(same == nil)
    }
}

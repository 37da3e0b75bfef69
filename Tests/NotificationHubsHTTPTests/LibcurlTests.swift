#if !canImport(Darwin)
import HubServer
import Foundation
import HubLock
import HubTestSupport
import NotificationHubs
import NotificationHubsTesting
import SharedAccessSignature
import Testing

@testable import NotificationHubsHTTP

@Suite(.timeLimit(.minutes(30))) struct LibcurlTests {
    @Test func `names the package to install when libcurl is missing`() {
        let error = #expect(throws: HubTransportError.self) { try Libcurl.load(path: "/nowhere/libcurl.so.4") }
        #expect(error?.description.hasPrefix("cannot load libcurl: /nowhere/libcurl.so.4: ") == true)
        #expect(
            error?.description.hasSuffix(
                "; install the package libcurl4 (Debian, Ubuntu) or libcurl (Fedora, Amazon Linux)") == true)
        #expect(error?.delivery == .notSent)
    }

    @Test func `rejects a library that is not libcurl`() {
        let error = #expect(throws: HubTransportError.self) { try Libcurl.load(path: "libm.so.6") }
        #expect(error?.description.contains("libm.so.6 has no curl_version_info") == true)
    }

    @Test(arguments: [(UInt32(0x07_43_02), false), (0x07_44_00, true), (0x08_0e_01, true)])
    func `requires libcurl 7.68 or later`(version: UInt32, isAccepted: Bool) {
        let isRejected = (try? Libcurl.check(version: version)) == nil
        #expect(isRejected == !isAccepted)
        guard !isAccepted else { return }
        let error = #expect(throws: HubTransportError.self) { try Libcurl.check(version: version) }
        #expect(error?.description.hasPrefix("cannot load libcurl: version 7.67.2 is older than 7.68; install") == true)
    }

    @Test func `starts requests in the order of their calls`() async throws {
        let mayRespond = Locked(false)
        let server = try RawServer { _ in
            while !mayRespond.withLock({ $0 }) { Thread.sleep(forTimeInterval: 0.001) }
            return Scene.ok
        }
        defer {
            mayRespond.withLock { $0 = true }
            server.stop()
        }
        let settings = try Self.settings()
        let waker = try settings.makeWaker()
        let mailbox = CurlMailbox(waker)
        let thread = try SystemThread { CurlLoop(settings, mailbox, waker).run() }
        let endpoint = try ServiceEndpoint("http://127.0.0.1:\(server.port)")
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<100 {
                let request = HubRequest(.get, endpoint: endpoint, path: "/\(number)")
                group.addTask { _ = try await mailbox.send(request, timeout: .seconds(1000)) }
                while mailbox.submittedCount <= number { try await Task.sleep(for: .microseconds(100)) }
            }
            mayRespond.withLock { $0 = true }
            try await group.waitForAll()
        }
        mailbox.close()
        thread.join()
        #expect(server.requests.map(\.target) == (0..<100).map { "/\($0)" })
        #expect(server.connections == 1)
    }

    // MARK: Too many open files

    @Test func `rejects a multi handle that cannot wake up`() throws {
        var settings = try Self.settings()
        unsafe settings.curl.multiWakeup = { _ in 11 }  // CURLM_WAKEUP_FAILURE
        let error = #expect(throws: HubTransportError.self) { try settings.makeWaker() }
        #expect(error?.delivery == .notSent)
    }

    /// The number of failed calls of `curl_multi_init`.
    private static let failureCount = Locked(0)

    @Test func `waits before it tries again to close idle connections`() async throws {
        let scene = try Scene()
        defer { scene.stop() }
        var settings = try Self.settings()
        let waker = try settings.makeWaker()
        settings.maximumIdleTime = .milliseconds(20)
        unsafe settings.curl.multiInit = {
            Self.failureCount.withLock { $0 += 1 }
            return nil
        }
        Self.failureCount.withLock { $0 = 0 }
        let mailbox = CurlMailbox(waker)
        let thread = try SystemThread { [settings] in CurlLoop(settings, mailbox, waker).run() }
        let start = ContinuousClock.now
        for _ in 0..<2 {
            let before = Self.failureCount.withLock { $0 }
            #expect(try await mailbox.send(scene.request(.get), timeout: .seconds(1000)).status == 200)
            while Self.failureCount.withLock({ $0 }) < before + 5 { try await Task.sleep(for: .milliseconds(1)) }
        }
        mailbox.close()
        thread.join()
        #expect(Double(Self.failureCount.withLock { $0 }) <= (ContinuousClock.now - start) / .milliseconds(20))
    }

    private static func settings() throws -> CurlLoop.Settings {
        let curl = try Libcurl.system.get()
        return CurlLoop.Settings(
            curl: curl, maximumConnections: 1, maximumResponseByteCount: 100,
            certificates: try TrustedCertificates(curl, additionalFile: nil))
    }

    @Test func `ends a request that waits for a connection at its timeout or when it is cancelled`() async throws {
        let mayRespond = Locked(false)
        let scene = try Scene(maximumConnections: 1) { _ in
            while !mayRespond.withLock({ $0 }) { Thread.sleep(forTimeInterval: 0.001) }
            return [.send(Scene.ok)]
        }
        defer {
            mayRespond.withLock { $0 = true }
            scene.stop()
        }
        let first = Task { try await scene.send(.message, path: "/first") }
        while scene.server.requests.isEmpty { try await Task.sleep(for: .milliseconds(1)) }
        let late = Task { try await scene.send(.message, path: "/late") }
        let error = await scene.failure(.message, timeout: .milliseconds(10))
        #expect(error?.description == "no free connection to \(scene.endpoint) within 0.01 seconds")
        #expect(error?.delivery == .notSent)
        #expect(error?.isTimeout == true)
        late.cancel()
        await #expect(throws: CancellationError.self) { try await late.value }
        mayRespond.withLock { $0 = true }
        #expect(try await first.value.status == 200)
        #expect(scene.server.requests.count == 1)
        #expect(try await scene.send(.get, path: "/next").status == 200)
    }
}
#endif

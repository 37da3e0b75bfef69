#if !canImport(Darwin)
import HubLock
import NotificationHubs

/// A client that sends requests with libcurl on its own thread. The thread ends with this object.
final class CurlClient: Sendable {
    private let mailbox: CurlMailbox

    init(
        maximumConnections: Int, maximumResponseByteCount: Int, certificateAuthorityFile: String?
    ) throws(HubTransportError) {
        let curl = try Libcurl.system.get()
        let settings = CurlLoop.Settings(
            curl: curl, maximumConnections: maximumConnections, maximumResponseByteCount: maximumResponseByteCount,
            certificates: try TrustedCertificates(curl, additionalFile: certificateAuthorityFile))
        let waker = try settings.makeWaker()
        let mailbox = CurlMailbox(waker)
        do {
            let thread = try SystemThread {
                SystemThread.blockSignals()
                CurlLoop(settings, mailbox, waker).run()
            }
            thread.detach()
        } catch {
            _ = unsafe curl.multiCleanup(waker.multi)
            throw HubTransportError("cannot start a thread: \(systemText(Int(error.code)))", delivery: .notSent)
        }
        self.mailbox = mailbox
    }

    deinit {
        mailbox.close()
    }

    /// Sends a request at most once.
    func send(_ request: HubRequest, timeout: Duration) async throws -> HubResponse {
        // A request in flight keeps the thread running.
        defer { withExtendedLifetime(self) {} }
        return try await mailbox.send(request, timeout: timeout)
    }
}
#endif

#if !canImport(Darwin)
import NotificationHubs

/// The event loop of one transport: it starts requests in the order of their calls, and ends them.
///
/// Only its thread uses it. Requests wait here and not in libcurl, whose queue is not in order of arrival.
final class CurlLoop {
    struct Settings: Sendable {
        let curl: Libcurl
        let maximumConnections: Int
        let maximumResponseByteCount: Int
        let certificates: TrustedCertificates

        /// A new multi handle.
        func makeWaker() throws(HubTransportError) -> CurlMailbox.Waker {
            guard let multi = unsafe curl.multiInit() else {
                throw HubTransportError("curl_multi_init failed", delivery: .notSent)
            }
            _ = unsafe curl.multiSetLong(multi, Libcurl.MultiOption.maximumKeptConnections, maximumConnections)
            _ = unsafe curl.multiSetLong(multi, Libcurl.MultiOption.pipelining, 0)
            return unsafe CurlMailbox.Waker(curl: curl, multi: multi)
        }
    }

    /// How long kept connections stay open without any request.
    private static let maximumIdleTime = Duration.seconds(50)

    private let settings: Settings
    private let curl: Libcurl
    private let mailbox: CurlMailbox
    private var waker: CurlMailbox.Waker

    /// Requests that wait for a connection, by their positions in the order of arrival.
    private var waiting: [Int: CurlMailbox.Submission] = [:]
    /// The positions of requests that wait, by the requests' ids.
    private var positions: [Int: Int] = [:]
    /// From the position to start next to the position of the next arrival.
    private var queue = 0..<0
    /// No request in ``waiting`` has an earlier deadline.
    private var firstDeadline: ContinuousClock.Instant?
    /// Requests in flight by their ids.
    private var active: [Int: CurlTransfer] = [:]
    /// The same by the addresses of their handles.
    private var activeByAddress: [Int: CurlTransfer] = [:]
    private var unused: [CurlTransfer] = []
    /// Since when there has been no request; `nil` if there is one, or if no connection is open.
    private var idleSince: ContinuousClock.Instant?

    init(_ settings: Settings, _ mailbox: CurlMailbox, _ waker: CurlMailbox.Waker) {
        (self.settings, self.curl, self.mailbox, self.waker) = (settings, settings.curl, mailbox, waker)
    }

    deinit {
        unused = []
        _ = unsafe curl.multiCleanup(waker.multi)
    }

    /// Runs until the mailbox is closed.
    func run() {
        while true {
            let mail = mailbox.collect()
            if mail.isClosed { break }
            enqueue(mail.submissions)
            cancel(mail.cancelled)
            startWaiting()
            perform()
            if active.isEmpty { closeIdleConnections() }
            let milliseconds = mailbox.prepareToWait() ? CInt(timeToNextEvent / .milliseconds(1)) : 0
            if milliseconds > 0 { _ = unsafe curl.multiPoll(waker.multi, nil, 0, milliseconds, nil) }
        }
        // No call is in flight when the last copy of the transport is gone.
        cancel(Set(positions.keys).union(active.keys))
    }

    private func enqueue(_ submissions: [CurlMailbox.Submission]) {
        for submission in submissions {
            waiting[queue.upperBound] = submission
            positions[submission.id] = queue.upperBound
            queue = queue.lowerBound..<(queue.upperBound + 1)
            firstDeadline = min(firstDeadline ?? submission.deadline, submission.deadline)
        }
    }

    private func cancel(_ ids: Set<Int>) {
        for id in ids {
            if let submission = positions[id].flatMap(removeWaiting) {
                submission.continuation.resume(throwing: CancellationError())
            } else if let transfer = active[id] {
                end(transfer, .failure(CancellationError()))
            }
        }
    }

    /// Starts requests while there is room, and ends those that have waited until their deadline.
    private func startWaiting() {
        while active.count < settings.maximumConnections, let position = queue.first {
            queue.removeFirst()
            if let submission = removeWaiting(at: position) { start(submission) }
        }
        let now = ContinuousClock.now
        guard let firstDeadline, firstDeadline <= now else { return }
        for (position, submission) in waiting where submission.deadline <= now {
            _ = removeWaiting(at: position)
            submission.continuation.resume(throwing: HubTransportError(expired: submission))
        }
        self.firstDeadline = waiting.values.map(\.deadline).min()
    }

    private func removeWaiting(at position: Int) -> CurlMailbox.Submission? {
        let submission = waiting.removeValue(forKey: position)
        if let submission { positions[submission.id] = nil }
        return submission
    }

    private func start(_ submission: CurlMailbox.Submission) {
        do throws(HubTransportError) {
            let timeLeft = submission.deadline - .now
            guard timeLeft > .zero else { throw HubTransportError(expired: submission) }
            let transfer =
                if let transfer = unused.popLast() { transfer } else {
                    try CurlTransfer(curl, certificates: settings.certificates)
                }
            do throws(HubTransportError) {
                try transfer.prepare(
                    submission, timeLeft: timeLeft, maximumBodyByteCount: settings.maximumResponseByteCount)
                guard unsafe curl.multiAdd(waker.multi, transfer.handle) == 0 else {
                    throw HubTransportError("curl_multi_add_handle failed", delivery: .notSent)
                }
            } catch {
                unused.append(transfer)
                throw error
            }
            active[submission.id] = transfer
            activeByAddress[transfer.address] = transfer
            idleSince = nil
        } catch {
            submission.continuation.resume(throwing: error)
        }
    }

    /// Lets libcurl send and receive what it can, and ends what is complete.
    private func perform() {
        guard !active.isEmpty else { return }
        var count: CInt = 0
        _ = unsafe curl.multiPerform(waker.multi, &count)
        // struct CURLMsg { CURLMSG msg; CURL *easy_handle; union { void *whatever; CURLcode result; } data; }
        while let message = unsafe curl.multiInfoRead(waker.multi, &count) {
            let isDone = unsafe message.load(as: CInt.self) == 1  // CURLMSG_DONE
            let address = unsafe message.load(fromByteOffset: 8, as: Int.self)
            let code = unsafe message.load(fromByteOffset: 16, as: CInt.self)
            if isDone, let transfer = activeByAddress[address] { end(transfer, transfer.result(code: code)) }
        }
        // Before the thread waits, so that a free connection is used at once.
        startWaiting()
    }

    private func end(_ transfer: CurlTransfer, _ result: Result<HubResponse, any Error>) {
        guard let id = transfer.submission?.id else { return }
        _ = unsafe curl.multiRemove(waker.multi, transfer.handle)
        active[id] = nil
        activeByAddress[transfer.address] = nil
        unused.append(transfer)
        transfer.finish(result)
        if active.isEmpty { idleSince = .now }
    }

    /// Closes kept connections after the maximum idle time, by a new multi handle in place of the old one.
    private func closeIdleConnections() {
        guard let since = idleSince, .now - since >= Self.maximumIdleTime, let fresh = try? settings.makeWaker() else {
            return
        }
        guard mailbox.replaceWaker(by: fresh) else {
            _ = unsafe curl.multiCleanup(fresh.multi)
            return
        }
        unused = []
        _ = unsafe curl.multiCleanup(waker.multi)
        waker = fresh
        idleSince = nil
    }

    private var timeToNextEvent: Duration {
        let now = ContinuousClock.now
        var time = Duration.seconds(60)
        if let firstDeadline { time = min(time, firstDeadline - now) }
        if let idleSince { time = min(time, idleSince + Self.maximumIdleTime - now) }
        // A millisecond more, since the rest of one is cut off.
        return max(.zero, time + .milliseconds(1))
    }
}

extension HubTransportError {
    /// The error of a request that has waited for a connection until its deadline.
    fileprivate init(expired submission: CurlMailbox.Submission) {
        self.init(
            "no free connection to \(submission.request.endpoint) within \(submission.timeout)", delivery: .notSent,
            isTimeout: true)
    }
}
#endif

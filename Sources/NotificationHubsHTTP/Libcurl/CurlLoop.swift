#if !canImport(Darwin)
import HubText
import NotificationHubs

/// The event loop of a transport, confined to its thread. It starts requests in the order of their calls.
///
/// Requests beyond the maximum number of connections wait here, because libcurl's own queue does not preserve the order.
final class CurlLoop {
    struct Settings: Sendable {
        var curl: Libcurl
        let maximumConnections: Int
        let maximumResponseByteCount: Int
        let certificates: TrustedCertificates
        /// The time after which idle connections are closed.
        var maximumIdleTime = Duration.seconds(50)

        /// Creates a multi handle.
        func makeWaker() throws(HubTransportError) -> CurlMailbox.Waker {
            guard let multi = unsafe curl.multiInit() else {
                throw HubTransportError("curl_multi_init failed", delivery: .notSent)
            }
            // Without free file descriptors, some versions create a handle that cannot wake up.
            guard unsafe curl.multiWakeup(multi) == 0 else {
                _ = unsafe curl.multiCleanup(multi)
                throw HubTransportError("curl_multi_wakeup failed", delivery: .notSent)
            }
            _ = unsafe curl.multiSetLong(multi, Libcurl.MultiOption.maximumKeptConnections, maximumConnections)
            _ = unsafe curl.multiSetLong(multi, Libcurl.MultiOption.pipelining, 0)
            return unsafe CurlMailbox.Waker(curl: curl, multi: multi)
        }
    }

    private let settings: Settings
    private let curl: Libcurl
    private let mailbox: CurlMailbox
    private var waker: CurlMailbox.Waker

    /// Requests that wait for a connection, by their positions in the order of arrival.
    private var waiting: [Int: CurlMailbox.Submission] = [:]
    /// The positions of waiting requests, by request ID.
    private var positions: [Int: Int] = [:]
    /// The positions from the next request to start up to that of the next arrival.
    private var queue = 0..<0
    /// A lower bound for the deadlines of the requests in ``waiting``.
    private var firstDeadline: ContinuousClock.Instant?
    /// The requests in flight, by ID.
    private var active: [Int: CurlTransfer] = [:]
    /// The requests in flight, by the address of their handle.
    private var activeByAddress: [Int: CurlTransfer] = [:]
    private var unused: [CurlTransfer] = []
    private let sockets = CurlSockets()
    /// The time when the last request ended, or when closing the connections failed; `nil` if a request is in flight, or if
    /// no connection is open.
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
        // A call keeps the transport alive, so there is usually nothing to cancel.
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

    /// Starts waiting requests up to the maximum, and fails those whose deadline has passed.
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
                    try CurlTransfer(curl, sockets, certificates: settings.certificates)
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

    /// Lets libcurl send and receive, and ends completed requests.
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
        // Before the thread waits, so that a free connection is used immediately.
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

    /// Closes idle connections after the maximum idle time by replacing the multi handle.
    private func closeIdleConnections() {
        guard let since = idleSince, .now - since >= settings.maximumIdleTime else { return }
        guard let newWaker = try? settings.makeWaker() else {
            idleSince = .now
            return
        }
        guard mailbox.replaceWaker(with: newWaker) else {
            _ = unsafe curl.multiCleanup(newWaker.multi)
            return
        }
        unused = []
        _ = unsafe curl.multiCleanup(waker.multi)
        waker = newWaker
        idleSince = nil
    }

    private var timeToNextEvent: Duration {
        let now = ContinuousClock.now
        var time = Duration.seconds(60)
        if let firstDeadline { time = min(time, firstDeadline - now) }
        if let idleSince { time = min(time, idleSince + settings.maximumIdleTime - now) }
        // Add a millisecond, since the caller rounds down.
        return max(.zero, time + .milliseconds(1))
    }
}

extension HubTransportError {
    /// Creates the error for a request whose deadline passed before a connection was free.
    fileprivate init(expired submission: CurlMailbox.Submission) {
        self.init(
            "no free connection to \(submission.request.endpoint) within \(submission.timeout.secondsText)",
            delivery: .notSent,
            isTimeout: true)
    }
}
#endif

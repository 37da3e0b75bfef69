#if !canImport(Darwin)
import HubLock
import NotificationHubs

/// A queue from callers to the loop's thread, with requests to send and to cancel.
final class CurlMailbox: Sendable {
    /// A request and the task that waits for its response.
    struct Submission: Sendable {
        /// The unique ID of the submission.
        let id: Int
        let request: HubRequest
        let timeout: Duration
        let deadline: ContinuousClock.Instant
        let continuation: CheckedContinuation<HubResponse, any Error>
    }

    struct Mail: Sendable {
        /// The new requests, in the order of the calls.
        var submissions: [Submission] = []
        var cancelled: Set<Int> = []
        var isClosed = false

        fileprivate var isEmpty: Bool { submissions.isEmpty && cancelled.isEmpty && !isClosed }
    }

    private struct State {
        var mail = Mail()
        var nextID = 0
        var submittedCount = 0
        var waker: Waker
        /// Whether the loop's thread is waiting or about to wait.
        var isWaiting = false

        /// Adds to the mail, and wakes the loop's thread if it is waiting.
        mutating func post(_ add: (inout Mail) -> Void) {
            add(&mail)
            if isWaiting { waker.wakeUp() }
            isWaiting = false
        }
    }

    /// The multi handle that the loop's thread waits on.
    ///
    /// `@unchecked Sendable` is safe: other threads use the handle only for `curl_multi_wakeup`, which is thread-safe, and only
    /// under the mailbox's lock. The handle is replaced under that lock before it is cleaned up.
    @safe struct Waker: @unchecked Sendable {
        let curl: Libcurl
        let multi: Libcurl.Handle

        fileprivate func wakeUp() { _ = unsafe curl.multiWakeup(multi) }
    }

    private let state: Locked<State>

    init(_ waker: Waker) {
        state = Locked(State(waker: waker))
    }

    /// Submits a request and waits for its response.
    func send(_ request: HubRequest, timeout: Duration) async throws -> HubResponse {
        let deadline = ContinuousClock.now + timeout
        let id = state.withLock { state in
            defer { state.nextID += 1 }
            return state.nextID
        }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let submission = Submission(
                    id: id, request: request, timeout: timeout, deadline: deadline, continuation: continuation)
                let isSubmitted = state.withLock { state in
                    // A cancellation after this check finds the submission.
                    if Task.isCancelled { return false }
                    state.submittedCount += 1
                    state.post { $0.submissions.append(submission) }
                    return true
                }
                if !isSubmitted { continuation.resume(throwing: CancellationError()) }
            }
        } onCancel: {
            state.withLock { state in state.post { $0.cancelled.insert(id) } }
        }
    }

    /// The total number of submitted requests.
    var submittedCount: Int { state.withLock { $0.submittedCount } }

    /// Ends the loop.
    func close() {
        state.withLock { state in state.post { $0.isClosed = true } }
    }

    /// Removes and returns the mail.
    func collect() -> Mail {
        state.withLock { state in
            state.isWaiting = false
            guard !state.mail.isEmpty else { return Mail() }
            defer { state.mail = Mail() }
            return state.mail
        }
    }

    /// Declares that the loop's thread is about to wait, so that new mail wakes it.
    ///
    /// - Returns: Whether to wait; `false` if there is mail.
    func prepareToWait() -> Bool {
        state.withLock { state in
            state.isWaiting = state.mail.isEmpty
            return state.isWaiting
        }
    }

    /// Replaces the handle that the loop's thread waits on, unless there is mail.
    ///
    /// - Returns: Whether the handle was replaced.
    func replaceWaker(with waker: Waker) -> Bool {
        state.withLock { state in
            guard state.mail.isEmpty else { return false }
            state.waker = waker
            return true
        }
    }
}
#endif

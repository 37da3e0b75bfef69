import HubServer
import NotificationHubsEmulator
import HubLock
import HubText
package import NotificationHubs

#if canImport(FoundationEssentials)
package import struct FoundationEssentials.Date
#else
package import struct Foundation.Date
#endif

/// A request to a hub or to the namespace, as the server recorded it.
package struct RecordedRequest: Sendable {
    /// The request's number, from 1.
    package let number: Int
    /// The time when the request arrived.
    package let date: Date
    /// The method.
    package let method: String
    /// The path without the query, which can contain a signature.
    package let path: String
    /// The status of the response; `nil` if the connection was reset.
    package let status: Int?
    /// The time from the complete request to its response.
    package let duration: Duration
    /// The text of an error response, without the tracking ID and timestamp; `nil` for other responses.
    package let cause: String?

    /// The request as a JSON object.
    package var json: JSONObject {
        var object: JSONObject = [
            "number": .integer(number), "date": .date(date), "method": .string(method), "path": .string(path),
        ]
        object["status"] = status.map { .integer($0) }
        object["milliseconds"] = JSONNumber("\(duration / .milliseconds(1))").map { .number($0) }
        object["cause"] = cause.map { .string($0) }
        return object
    }
}

/// The latest 1000 requests to a server's hubs and namespace, including those to unknown hubs.
struct RequestLog: Sendable {
    /// The changes of the log.
    let changes = ChangeSignal()
    private let state = Locked(
        History<RecordedRequest>(limit: 1000, byteLimit: 1 << 20) {
            $0.method.utf8.count + $0.path.utf8.count + ($0.cause?.utf8.count ?? 0)
        })

    /// Records a request that ended with a response, or with `nil` for a reset.
    func record(
        _ request: HTTPRequest, _ response: HTTPResponse?, date: Date, duration: Duration
    ) -> RecordedRequest {
        let (method, path) = (request.method, request.path)
        let cause = response.flatMap { $0.status >= 400 ? $0.body.serviceDetail : nil }
        defer { changes.signal() }
        return state.withLock { history in
            let recorded = RecordedRequest(
                number: history.count + 1, date: date, method: method, path: path, status: response?.status,
                duration: duration, cause: cause)
            history.append(recorded)
            return recorded
        }
    }

    /// The number of the last request.
    var count: Int { state.withLock { $0.count } }

    /// Returns the requests that follow a number.
    func requests(after number: Int, limit: Int = .max) -> RecordedRequests {
        // A slice outside the lock would make the next request copy the history.
        state.withLock { history in
            RecordedRequests(
                requests: Array(history.after(number, limit: limit)), last: history.count, oldest: history.oldestNumber)
        }
    }
}

/// Recorded requests, and the numbers of the last and the oldest recorded request at that time.
struct RecordedRequests: Sendable {
    let requests: [RecordedRequest]
    let last: Int
    let oldest: Int

    fileprivate var response: HTTPResponse {
        .json([
            "requests": .array(requests.map { .object($0.json) }), "last": .integer(last), "oldest": .integer(oldest),
        ])
    }
}

extension ControlAPI {
    /// Returns the requests that follow a number as JSON. With `wait`, waits until one exists or the time has passed.
    func requests(_ query: QueryString) throws(ControlError) -> HTTPAction {
        let log = requestLog
        let after = try query.number("after") ?? 0
        let limit = try query.number("limit") ?? .max
        let wait = try query.wait()
        let first = log.requests(after: after, limit: limit)
        if wait == .zero || !first.requests.isEmpty { return .respond(first.response) }
        let poll = HTTPPoll(timeout: wait, changes: [log.changes]) {
            let next = log.requests(after: after, limit: limit)
            return next.requests.isEmpty ? nil : .respond(next.response)
        } onTimeout: {
            .respond(log.requests(after: after, limit: limit).response)
        }
        return .poll(poll)
    }
}

import NotificationHubs
import Testing

@testable import NotificationHubsHTTP

/// The interpretation of failed `URLSession` tasks, on every platform.
@Suite struct TaskFailureTests {
    private func error(_ code: Int?, _ requestStarts: [Bool]?, expiredTimeout: Duration? = nil) -> HubTransportError {
        TaskFailure(
            endpoint: "https://hub.example", code: code, requestStarts: requestStarts, expiredTimeout: expiredTimeout
        ).error
    }

    /// Cancelled, timed out, host not found, cannot connect, lost, offline, App Transport Security, TLS, and another domain.
    static let codes = [-1, -999, -1001, -1003, -1004, -1005, -1009, -1022, -1200, -1202, nil]

    @Test(arguments: codes)
    func `reports .notSent only if no transaction has started to send the request`(code: Int?) {
        #expect(error(code, [false]).delivery == .notSent)
        #expect(error(code, [false, false]).delivery == .notSent)
        #expect(error(code, [true]).delivery == .unknown)
        #expect(error(code, [true, false]).delivery == .unknown)
        #expect(error(code, [false, true]).delivery == .unknown)
    }

    @Test(arguments: codes)
    func `reports .unknown without metrics`(code: Int?) {
        #expect(error(code, nil).delivery == .unknown)
        #expect(error(code, []).delivery == .unknown)
    }

    @Test(arguments: [
        (-1003, false, "cannot resolve the host name of https://hub.example"),
        (-1004, false, "cannot connect to https://hub.example: URLError -1004"),
        (-1009, false, "cannot connect to https://hub.example: URLError -1009"),
        (-1200, false, "cannot establish a TLS connection to https://hub.example: URLError -1200"),
        (-1200, true, "no valid response (https://hub.example): URLError -1200"),
        (-1202, false, "cannot establish a TLS connection to https://hub.example: URLError -1202"),
        (-1005, true, "the connection to https://hub.example was lost before the response"),
        (
            -1022, false,
            "App Transport Security forbids the connection to https://hub.example: use https, or add an exception"
        ),
        (-1001, false, "no connection to https://hub.example: the system timed out"),
        (-1001, true, "no complete response from https://hub.example: the system timed out"),
        (nil, false, "the request was not sent (https://hub.example): unknown error"),
        (nil, true, "no valid response (https://hub.example): unknown error"),
    ])
    func `names the cause and the endpoint`(code: Int?, isStarted: Bool, text: String) {
        #expect(error(code, [isStarted]).description == text)
    }

    @Test func `reports a timeout of the system or of the request`() {
        #expect(error(-1001, nil).isTimeout)
        #expect(!error(-1005, nil).isTimeout)
        let expired = error(-999, [true], expiredTimeout: .seconds(2))
        #expect(expired.isTimeout)
        #expect(expired.description == "no complete response from https://hub.example within 2 seconds")
        let early = error(-999, [false], expiredTimeout: .seconds(2))
        #expect(early.delivery == .notSent)
        #expect(early.description == "no connection to https://hub.example within 2 seconds")
    }
}

import HubLock
import NotificationHubs
import NotificationHubsEmulator
import PushBackend

/// Serves an app's backend by HTTP on a port of this machine, as any server would.
struct BackendServer {
    private let server: HTTPServer

    init(_ backend: AppBackend) throws {
        server = try HTTPServer { request in
            let answer = Locked<HubResponse?>(nil)
            Task {
                let response = await backend.respond(
                    to: AppBackend.Request(
                        method: request.method, target: request.target, headers: request.headers,
                        body: request.body))
                answer.withLock {
                    $0 = HubResponse(status: response.status, headers: response.headers, body: response.body)
                }
            }
            return .later(
                within: .seconds(120), ask: { answer.withLock { $0 }.map { .response($0) } },
                otherwise: { .response(HubResponse(status: 504)) })
        }
    }

    var url: String { "http://127.0.0.1:\(server.port)" }

    func stop() {
        server.stop()
    }
}

import HubText
import HubServer
import HubTestSupport
import NotificationHubs
import Testing

@testable import NotificationHubsEmulator
@testable import NotificationHubsEmulatorServer

@Suite(.blocking, .timeLimit(.minutes(30))) struct ControlRequestsTests {
    @Test func `returns requests to known and unknown hubs without their queries`() throws {
        let emulator = HubEmulator(hubName: "push")
        emulator.faults = [.init(.resetBefore, on: .delete, "/")]
        let server = try HubEmulator.Server(emulator)
        defer { server.stop() }
        func send(_ line: String) throws -> RawClient {
            let client = try RawClient(port: server.port)
            client.send("\(line) HTTP/1.1\r\nHost: 127.0.0.1:\(server.port)\r\n\r\n")
            return client
        }
        for line in ["GET /push/installations/a?sig=sesame", "GET /wrong/registrations", "GET /$emulator/health"] {
            _ = try send(line).readResponse()
        }
        _ = try? send("DELETE /push/installations/a").readResponse()
        _ = try send("GET /$emulator/blobs/push/jobs/x?sig=sesame").readResponse()
        let body = try send("GET /$emulator/requests").readResponse().body
        #expect(!body.contains("sesame"))
        guard case .object(let object) = try JSONValue(parsing: body.utf8),
            case .array(let requests)? = object["requests"]
        else { throw ControlScene.NoResponse() }
        #expect(object["last"] == .integer(4) && object["oldest"] == .integer(1))
        let lines = requests.map { request -> String in
            guard case .object(let request) = request, case .string(let method)? = request["method"],
                case .string(let path)? = request["path"], case .number? = request["milliseconds"],
                case .string? = request["date"]
            else { return "" }
            guard case .number(let status)? = request["status"] else { return "\(method) \(path) reset" }
            return "\(method) \(path) \(status.text)"
        }
        #expect(
            lines == [
                "GET /push/installations/a 401", "GET /wrong/registrations 401", "DELETE /push/installations/a reset",
                "GET /$emulator/blobs/push/jobs/x 403",
            ])
    }

    @Test(arguments: [
        ("requests", Array(1...3)), ("requests?after=1", [2, 3]), ("requests?after=3", []), ("requests?after=9", []),
        ("requests?limit=2", [1, 2]), ("requests?after=1&limit=1&wait=60", [2]), ("requests?limit=0", []),
    ])
    func `selects requests by number`(target: String, numbers: [Int]) throws {
        let scene = try ControlScene()
        for _ in 1...3 { record(in: scene) }
        let response = try scene.response("GET", target)
        #expect(try Self.numbers(response) == numbers)
        #expect(try response.object()["last"] == .integer(3))
    }

    @Test func `responds when a request arrives`() throws {
        let scene = try ControlScene()
        record(in: scene)
        guard case .poll(let poll) = scene.action("GET", "requests?after=1&wait=5"), poll.timeout == .seconds(5) else {
            Issue.record("the response was not delayed")
            return
        }
        #expect(poll.check().map { _ in true } == nil)
        guard case .respond(let empty) = poll.onTimeout() else { throw ControlScene.NoResponse() }
        #expect(try Self.numbers(empty) == [])
        record(in: scene)
        guard case .respond(let response)? = poll.check() else { throw ControlScene.NoResponse() }
        #expect(try Self.numbers(response) == [2])
    }

    @Test func `keeps the latest 1000 requests`() throws {
        let scene = try ControlScene()
        for _ in 1...1002 { record(in: scene) }
        let response = try scene.response("GET", "requests")
        #expect(try Self.numbers(response) == Array(3...1002))
        let object = try response.object()
        #expect(object["last"] == .integer(1002) && object["oldest"] == .integer(3))
    }

    @Test(arguments: ["requests?after=x", "requests?limit=-1", "requests?wait=soon"])
    func `rejects invalid parameters`(target: String) throws {
        #expect(try ControlScene().response("GET", target).status == 400)
    }

    private func record(in scene: ControlScene) {
        let request = HTTPRequest(method: "GET", target: "/push/x?sig=1", headers: [:], body: [], keepsAlive: true)
        _ = scene.requestLog.record(request, HTTPResponse(status: 200), date: scene.emulator.now(), duration: .zero)
    }

    private static func numbers(_ response: HTTPResponse) throws -> [Int] {
        guard case .array(let values)? = try response.object()["requests"] else { return [] }
        return values.compactMap { value in
            guard case .object(let request) = value, case .number(let number)? = request["number"] else { return nil }
            return Int(number.text)
        }
    }
}

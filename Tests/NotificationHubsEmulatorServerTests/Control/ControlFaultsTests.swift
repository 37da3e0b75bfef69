import HubServer
import NotificationHubs
import Testing

@testable import NotificationHubsEmulator

@Suite struct ControlFaultsTests {
    @Test func `sets faults from strings and objects and returns them with their counts`() async throws {
        let scene = try ControlScene()
        let body = """
            {"seed": 7, "faults": ["POST /messages status=429 retry-after=2 rate=0.5",
            {"path": "/", "method": "PUT", "reset": "after", "nth": [1, 3], "hub": "push", "latency": 0.25},
            {"path": "/x", "stall": true, "every": 2}]}
            """
        #expect(try scene.mutate("PUT", "faults", body).status == 200)
        #expect(
            scene.emulator.faults
                == .init(
                    [
                        .init(.status(429, retryAfter: .seconds(2)), on: .post, "/messages", when: .rate(0.5)),
                        .init(
                            .resetAfter, on: .put, latency: .milliseconds(250), when: .calls([1, 3]), hubName: "push"),
                        .init(.stall, "/x", when: .every(2)),
                    ], seed: 7))
        _ = await #expect(throws: HubError.self) { try await scene.register("phone") }
        let shown = try scene.response("GET", "faults")
        #expect(
            shown.text.contains(#"{"hub":"push","latency":"250ms","matched":1,"method":"PUT","nth":[1,3],"path":"/""#)
        )
        #expect(shown.text.contains(#""reset":"after","triggered":1}"#))
        #expect(shown.text.contains(#""seed":7"#))
    }

    @Test(arguments: ["0", "9223372036854775808", "18446744073709551615"])
    func `returns the seed unchanged`(seed: String) throws {
        let shown = try ControlScene().mutate("PUT", "faults", "{\"seed\":\(seed),\"faults\":[]}")
        #expect(shown.text.contains("\"seed\":\(seed)}"))
    }

    @Test func `accepts its own output`() throws {
        let scene = try ControlScene()
        let texts = [
            "POST /messages status=429 retry-after=2 rate=0.1", "/ stall", "GET /installations/* reset=before nth=1,3",
            "PUT /x reset=after every=5 hub=push", "/x latency=300ms", "/x status=503 latency=1.5",
        ]
        let faults = HubEmulator.Faults(try texts.map { try HubEmulator.Fault($0) })
        scene.emulator.faults = faults
        guard case .array(let hubs)? = try scene.response("GET", "faults").object()["hubs"],
            case .object(let hub)? = hubs.first, case .array(let shown)? = hub["faults"]
        else {
            Issue.record("no faults in the response")
            return
        }
        let faultsWithoutCounts = shown.map { value -> JSONValue in
            guard case .object(var fault) = value else { return value }
            fault["matched"] = nil
            fault["triggered"] = nil
            return .object(fault)
        }
        let body = JSONValue.object(["faults": .array(faultsWithoutCounts)])
        scene.emulator.faults = []
        #expect(try scene.mutate("PUT", "faults", String(decoding: body.bytes, as: UTF8.self)).status == 200)
        #expect(scene.emulator.faults == faults)
    }

    @Test(arguments: [
        "{}", #"{"faults":{}}"#, #"{"faults":[1]}"#, #"{"faults":["POST"]}"#, #"{"faults":[],"seed":-1}"#,
        #"{"faults":[],"seed":"x"}"#, #"{"faults":[],"sed":1}"#, #"{"faults":[{"path":"/"}]}"#,
        #"{"faults":[{"path":"/","stall":null}]}"#, #"{"faults":["/ stall hub=other"]}"#,
        #"{"faults":[{"path":"/","stall":true,"retryAfter":1}]}"#,
    ])
    func `rejects invalid faults and keeps the current ones`(body: String) throws {
        let scene = try ControlScene()
        scene.emulator.faults = [.init(.stall)]
        let status = try scene.mutate("PUT", "faults", body).status
        #expect([400, 404].contains(status))
        #expect(scene.emulator.faults.faults.count == 1)
    }
}

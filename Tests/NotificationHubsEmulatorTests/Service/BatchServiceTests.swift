import NotificationHubs
import NotificationHubsEmulator
import Testing

@Suite struct BatchServiceTests {
    let scene: Scene

    init() throws {
        scene = try Scene()
    }

    /// Returns a body as the .NET and Java SDKs write it; the JavaScript SDK omits the final line break.
    static func body(
        _ boundary: String, devices: String = #"["aA","BB"]"#, message: String = #"{"aps":{"alert":"--x"}}"#,
        end: String = "\r\n",
        header: String = "Content-Type"
    ) -> String {
        "--\(boundary)\r\n\(header): application/json; charset=utf-8\r\nContent-Disposition: inline; name=notification\r\n\r\n"
            + "\(message)\r\n--\(boundary)\r\n\(header): application/json\r\n"
            + "Content-Disposition: inline; name=devices\r\n\r\n\(devices)\r\n--\(boundary)--\(end)"
    }

    private func send(
        _ body: String, type: String = "multipart/mixed; boundary=\"x\"", format: String = "apple",
        query: String = "direct&api-version=2020-06"
    ) throws -> HubResponse {
        try scene.send(body, format: format, query: query, path: "/messages/$batch", ["Content-Type": type])
    }

    @Test(arguments: [
        ("multipart/mixed; boundary=\"nh-batch-multipart-boundary\"", body("nh-batch-multipart-boundary")),
        // A client in Go sends this type, without the delimiter at the end.
        ("multipart/form-data; boundary=abc", body("abc")),
        ("multipart/form-data; boundary=abc", String(body("abc", end: "").dropLast("\r\n--abc--".count))),
        ("multipart/mixed; boundary = \"nh-boundary-1-2\"", body("nh-boundary-1-2", end: "", header: "Content-type")),
        ("multipart/mixed; charset=\"a;\\\"boundary=y\"; boundary=\"x;y\" ; z", body("x;y")),
        ("Multipart/Mixed;boundary=x", "preamble\r\n" + body("x") + "epilogue"),
    ])
    func `accepts the batches of each SDK`(type: String, body: String) throws {
        let response = try send(body, type: type)
        #expect(response.status == 201)
        #expect(response.headers["Location"]?.contains("/push/messages/$batch/NH-") == true)
        #expect(scene.reached() == ["handle AA", "handle BB"])
        #expect(scene.emulator.deliveries.map(\.body) == Array(repeating: #"{"aps":{"alert":"--x"}}"#, count: 2))
    }

    @Test(arguments: [
        ("", "multipart/mixed; boundary=\"x\""), (body("x"), "multipart/mixedx; boundary=x"),
        (body(""), "multipart/mixed; boundary="), (body(""), "multipart/mixed; boundary=\"\""),
        (body(String(repeating: "a", count: 71)), "multipart/mixed; boundary=" + String(repeating: "a", count: 71)),
        (body("x"), "multipart/mixed"), (body("x"), "application/json"),
        (String(body("x", end: "").dropLast("\r\n--x--".count)), "multipart/mixed; boundary=x"),
        (body("y"), "multipart/mixed; boundary=x"),
        (body("x", devices: "[]"), "multipart/mixed; boundary=x"),
        (body("x", devices: "[1]"), "multipart/mixed; boundary=x"),
        (body("x", devices: "[\"\"]"), "multipart/mixed; boundary=x"),
        (body("x", devices: "{}"), "multipart/mixed; boundary=x"),
        (body("x", message: "text"), "multipart/mixed; boundary=x"),
        (body("x").replacing("\r\n", with: "\n"), "multipart/mixed; boundary=x"),
        (body("x").replacing("--x--\r\n", with: ""), "multipart/mixed; boundary=x"),
        (body("x").replacing("name=devices", with: "name=others"), "multipart/mixed; boundary=x"),
        (body("x").replacing("name=devices", with: "name=notification"), "multipart/mixed; boundary=x"),
        (body("x").replacing("\r\n\r\n", with: "\r\n"), "multipart/mixed; boundary=x"),
        ("--x", "multipart/mixed; boundary=x"),
        (body("x").replacing("Content-Type: application/json\r\n", with: ":\r\n"), "multipart/mixed; boundary=x"),
        (body("x").replacing("Content-Type: application/json\r\n", with: "x\r\n"), "multipart/mixed; boundary=x"),
        (
            body("x").replacing(
                "--x--", with: "--x\r\nContent-Disposition: inline; name=devices\r\n\r\n[\"CC\"]\r\n--x--"),
            "multipart/mixed; boundary=x"
        ),
    ])
    func `rejects an invalid batch`(body: String, type: String) throws {
        #expect(try send(body, type: type).status == 400)
        #expect(scene.reached().isEmpty)
    }

    @Test(arguments: [(98, 201), (99, 400), (10_000, 400)])
    func `limits the headers of a part to 100`(count: Int, status: Int) throws {
        let more = (0..<count).map { "\r\nx\($0): 1" }.joined()
        #expect(try send(Self.body("x").replacing("; charset=utf-8", with: more)).status == status)
    }

    @Test func `rejects a third part without parsing it`() throws {
        let part = "--x\r\n\r\n"
        let response = try send(Self.body("x").replacing("--x--", with: part + "--x--"))
        #expect(response.status == 400)
        #expect(response.text.contains("more than 2 parts"))
    }

    @Test func `limits a batch to 1000 devices`() throws {
        func devices(_ count: Int) -> String {
            "[" + Array(repeating: "\"AA\"", count: count).joined(separator: ",") + "]"
        }
        #expect(try send(Self.body("x", devices: devices(1001))).status == 400)
        #expect(try send(Self.body("x", devices: devices(1000))).status == 201)
        #expect(scene.emulator.deliveries.count == 1000)
    }

    @Test func `requires the flag direct, a platform's format and at least the Basic tier`() throws {
        #expect(try send(Self.body("x"), query: "api-version=2020-06").status == 400)
        #expect(try send(Self.body("x", message: "{}"), format: "template").status == 400)
        #expect(try send(Self.body("x", message: "{}"), format: "browser").status == 400)
        let free = try Scene(tier: .free)
        let response = try free.send(
            Self.body("x"), format: "apple", query: "direct&api-version=2020-06", path: "/messages/$batch",
            ["Content-Type": "multipart/mixed; boundary=x"])
        #expect(response.status == 403 && response.text.contains("is not available for your tier"))
        #expect(
            try Scene(tier: .basic).send(
                Self.body("x"), format: "apple", query: "direct&api-version=2020-06", path: "/messages/$batch",
                ["Content-Type": "multipart/mixed; boundary=x"]
            ).status == 201)
    }
}

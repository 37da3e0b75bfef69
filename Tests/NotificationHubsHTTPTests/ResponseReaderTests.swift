#if !canImport(Darwin)
import NotificationHubs
import Testing

@testable import NotificationHubsHTTP

@Suite struct ResponseReaderTests {
    private func reader(_ lines: [String], body: [UInt8] = [], limit: Int = 10) -> ResponseReader {
        var reader = ResponseReader(maximumBodyByteCount: limit)
        for line in lines where !reader.readLine(Array("\(line)\r\n".utf8)) { break }
        if !body.isEmpty { _ = reader.readBody(body) }
        return reader
    }

    @Test func `assembles the status, headers and body`() throws {
        let response = try #require(reader(["HTTP/1.1 201 Created", "A: b ", "A:\tc", ""], body: [1, 2]).response)
        #expect(response.status == 201)
        #expect(response.headers["a"] == "b, c")
        #expect(response.body == [1, 2])
    }

    @Test(arguments: [
        [], ["HTTP/1.1 201 Created"], ["HTTP/1.1 201 Created", "A: b"], ["HTTP/1.1 100 Continue", ""],
        ["HTTP/1.1 100 Continue", "", "HTTP/1.1 201 Created"], ["HTTP/1.1 2010 Created", ""], ["HTTP/1.1 Created", ""],
    ])
    func `returns nil without the complete head of a final response`(lines: [String]) {
        #expect(reader(lines).response == nil)
    }

    @Test func `does not take a carriage return for the end of the head`() {
        var reader = reader(["HTTP/1.1 201 Created", "A: b"])
        _ = reader.readLine(Array("\r".utf8))
        #expect(reader.response == nil)
        _ = reader.readLine(Array("\r\n".utf8))
        #expect(reader.response?.status == 201)
    }

    @Test func `drops interim headers and trailers`() throws {
        let lines = ["HTTP/1.1 103 Early Hints", "A: b", "", "HTTP/1.1 200 OK", "C: d", "", "E: f", ""]
        let headers = try #require(reader(lines).response).headers
        #expect(headers.map(\.name) == ["C"])
    }

    @Test func `stops at the limits for head and body`() {
        #expect(
            reader(["HTTP/1.1 200 OK", ""], body: Array(0..<11)).exceededLimit
                == "the response body has more than 10 bytes")
        let long = String(repeating: "x", count: 1000)
        let head = reader(["HTTP/1.1 200 OK"] + (0..<100).map { "X-\($0): \(long)" })
        #expect(head.exceededLimit == "the response head has more than 65536 bytes")
        let fields = reader(["HTTP/1.1 200 OK"] + (0...1000).map { "X\($0):" })
        #expect(fields.exceededLimit == "the response head has more than 1000 fields")
    }
}
#endif

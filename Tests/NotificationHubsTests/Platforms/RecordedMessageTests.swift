import Foundation
import NotificationHubs
import Testing

/// Messages that other SDKs send have no failures: a false alarm would hide the real ones.
@Suite(.enabled(if: Recordings.folder != nil, "HUB_RECORDINGS is not set")) struct RecordedMessageTests {
    private struct Request: Decodable {
        var request: String
        var headers: [[String]]
        var body: String?

        /// The value of a header; empty if it is missing.
        func header(_ name: String) -> String {
            headers.first { $0[0].lowercased() == name.lowercased() }?[1] ?? ""
        }
    }

    @Test func `finds no failure in messages of other SDKs`() throws {
        var count = 0
        for (name, bytes) in try Recordings.files("../clients") where name.hasSuffix(".jsonl") {
            for line in bytes.split(separator: UInt8(ascii: "\n")) {
                let request = try JSONDecoder().decode(Request.self, from: Data(line))
                let format = request.header("ServiceBusNotification-Format").lowercased()
                guard request.request.hasPrefix("POST "), let body = request.body, !body.isEmpty,
                    !request.header("Content-Type").hasPrefix("multipart/"),
                    let platform = PushPlatform.all.first(where: { $0.format == format })
                else { continue }
                let headers = Dictionary(request.headers.map { ($0[0], $0[1]) }) { first, _ in first }
                let failures = platform.problems(
                    body: Array(body.utf8), headers: headers.filter { platform.row?.forwards(header: $0.key) == true }
                ).filter { problem in
                    // Windows refuses messages without these headers, which samples of the SDKs omit.
                    let isOmittedHeader =
                        ["X-WNS-Type", "X-NotificationClass"].contains(problem.path)
                        && request.header(problem.path).isEmpty
                    return problem.severity == .failure && !isOmittedHeader
                }
                #expect(failures == [], "\(name): \(request.request), \(format): \(body)")
                count += 1
            }
        }
        #expect(count > 30)
    }

    @Test func `finds no failure in recorded messages`() throws {
        for name in try Recordings.names("js", prefix: "send") {
            let entry = try #require(
                try Recordings.read(RecordedRequestTests.Recording.self, "js/\(name)").Entries.first)
            let body = try #require(entry.RequestBody).bytes
            #expect(PushPlatform.apple.problems(body: body, headers: [:]).filter { $0.severity == .failure } == [])
        }
    }
}

import Foundation
import HubLock
import HubTestSupport
import SharedAccessSignature
import Testing

@testable import NotificationHubs

/// Reading feedback from the hub, the container and its blobs.
@Suite struct FeedbackSequenceTests {
    private static let container = "https://store.blob.core.windows.net/00297?sv=2014-02-14&sr=c&sig=sesame&sp=rl"

    private static func list(_ names: [String], next: String = "", attributes: String = "") -> [UInt8] {
        let blobs = names.map {
            "<Blob><Name\(attributes)>\($0)</Name><Properties><Content-Length>7</Content-Length></Properties></Blob>"
        }
        return Array(
            """
            \u{feff}<?xml version="1.0" encoding="utf-8"?><EnumerationResults ServiceEndpoint="https://x" ContainerName="c">\
            <Blobs>\(blobs.joined())</Blobs><NextMarker>\(next)</NextMarker></EnumerationResults>
            """.utf8)
    }

    /// Creates a client, and a scripted storage with blobs that it lists in pages. It can return shorter parts than requested.
    private func hub(
        container: String = container, pages: [String: [UInt8]], blobs: [String: [UInt8]] = [:], ranges: Bool = true,
        partLength: Int = 1 << 30
    ) throws -> (hub: NotificationHub, transport: ScriptedTransport) {
        let transport = ScriptedTransport { request in
            if request.path == "/push/feedbackcontainer" {
                return HubResponse(status: 200, body: Array("\(container)\r\n".utf8))
            }
            if request.query.contains("comp=list") {
                let marker = request.query.split(separator: "marker=").dropFirst().first.map(String.init) ?? ""
                return HubResponse(status: 200, body: try #require(pages[marker]))
            }
            let blob = try #require(blobs[request.path])
            guard ranges else { return HubResponse(status: 200, body: blob) }
            let bounds = try #require(request.headers["Range"]).split(separator: "=")[1].split(separator: "-")
            let (first, last) = (try #require(Int(bounds[0])), try #require(Int(bounds[1])))
            if first >= blob.count { return HubResponse(status: 416) }
            let end = min(last + 1, blob.count, first + partLength)
            return HubResponse(
                status: 206, headers: ["Content-Range": "bytes \(first)-\(end - 1)/\(blob.count)"],
                body: Array(blob[first..<end]))
        }
        return (try NotificationHub.scripted(transport), transport)
    }

    private func handles(_ hub: NotificationHub) async throws -> [String] {
        var handles: [String] = []
        for try await feedback in hub.feedback() { handles.append(String(feedback.handle.last ?? " ")) }
        return handles
    }

    @Test func `reads pages and blobs in order`() async throws {
        let blobs = [
            "/00297/07272016": Array((FeedbackReaderTests.document(1) + FeedbackReaderTests.document(2)).utf8),
            "/00297/a%20b/c": [], "/00297/07282016": Array(FeedbackReaderTests.document(3).utf8),
        ]
        let (hub, transport) = try hub(
            pages: ["": Self.list(["07272016", "a b/c"], next: "2!8&amp;+"), "2%218%26%2B": Self.list(["07282016"])],
            blobs: blobs)
        #expect(try await handles(hub) == ["1", "2", "3"])
        let sas = "sv=2014-02-14&sr=c&sig=sesame&sp=rl"
        let list = "/00297?\(sas)&restype=container&comp=list&maxresults=500"
        #expect(
            transport.requests.map { "\($0.path)?\($0.query)" } == [
                "/push/feedbackcontainer?api-version=2020-06", list, "/00297/07272016?\(sas)", "/00297/a%20b/c?\(sas)",
                "\(list)&marker=2%218%26%2B", "/00297/07282016?\(sas)",
            ])
    }

    @Test func `requests a new container URL once after the first one expires`() async throws {
        let requestCount = Locked(0)
        let document = Array(FeedbackReaderTests.document(1).utf8)
        func hub(acceptsNewURL: Bool) throws -> NotificationHub {
            try NotificationHub.scripted(
                ScriptedTransport { request in
                    if request.path == "/push/feedbackcontainer" {
                        let count = requestCount.withLock {
                            $0 += 1; return $0
                        }
                        return HubResponse(status: 200, body: Array("https://store.example/c?sig=\(count)".utf8))
                    }
                    if request.query.contains("comp=list") { return HubResponse(status: 200, body: Self.list(["b"])) }
                    let isAccepted = acceptsNewURL && !request.query.contains("sig=1")
                    return isAccepted ? HubResponse(status: 200, body: document) : HubResponse(status: 403)
                })
        }
        #expect(try await handles(hub(acceptsNewURL: true)) == ["1"])
        #expect(requestCount.withLock { $0 } == 2)
        requestCount.withLock { $0 = 0 }
        await #expect { try await handles(hub(acceptsNewURL: false)) } throws: { ($0 as? HubError)?.status == 403 }
        #expect(requestCount.withLock { $0 } == 2)
    }

    @Test func `does not send the hub's token to the storage`() async throws {
        let (hub, transport) = try hub(
            pages: ["": Self.list(["b"])], blobs: ["/00297/b": Array(FeedbackReaderTests.document(1).utf8)])
        _ = try await handles(hub)
        #expect(transport.requests.map { $0.headers["Authorization"] != nil } == [true, false, false])
        #expect(transport.requests.map(\.endpoint.host).suffix(2).allSatisfy { $0 == "store.blob.core.windows.net" })
        for request in transport.requests { #expect(!everythingPrinted(of: request).contains("sesame")) }
    }

    @Test(arguments: [true, false])
    func `reads a blob in ranges, or completely if the storage ignores ranges`(ranges: Bool) async throws {
        let length = 1 << 20
        var text = (0..<3000).map { _ in FeedbackReaderTests.document(7) }.joined()
        // The last range ends with the blob.
        text += String(repeating: " ", count: length - text.utf8.count % length)
        let (hub, transport) = try hub(
            pages: ["": Self.list(["b"])], blobs: ["/00297/b": Array(text.utf8)], ranges: ranges)
        #expect(try await handles(hub).count == 3000)
        let chunks = text.utf8.count / length
        #expect(transport.requests.count == 2 + (ranges ? chunks : 1))
    }

    @Test func `reads on demand`() async throws {
        let (hub, transport) = try hub(
            pages: ["": Self.list(["a", "b"])], blobs: ["/00297/a": Array(FeedbackReaderTests.document(1).utf8)])
        var iterator = hub.feedback().makeAsyncIterator()
        #expect(transport.requests.isEmpty)
        #expect(try await iterator.next() != nil)
        #expect(transport.requests.count == 3)
    }

    @Test(arguments: [
        "http://store.blob.core.windows.net/c?sig=sesame", "http://127.0.0.1/c?sig=sesame", "<html>", "",
    ])
    func `rejects an invalid container URL`(container: String) async throws {
        let (hub, transport) = try hub(container: container, pages: [:])
        let error = await #expect(throws: HubError.self) { try await handles(hub) }
        #expect(error?.code == .invalidResponse && transport.requests.count == 1)
        #expect(!everythingPrinted(of: error as Any).contains("sesame"))
    }

    @Test func `accepts a loopback container of an emulated hub`() async throws {
        let transport = ScriptedTransport { request in
            HubResponse(
                status: 200,
                body: request.path == "/push/feedbackcontainer"
                    ? Array("http://127.0.0.1:8080/c?sig=1".utf8) : Self.list([]))
        }
        let hub = try NotificationHub(
            connectionString:
                "Endpoint=sb://localhost:8080;SharedAccessKeyName=n;SharedAccessKey=k;UseDevelopmentEmulator=true",
            hubName: "push", transport: transport, options: .patient(retry: .never))
        #expect(try await handles(hub) == [])
        #expect(transport.requests.count == 2)
    }

    @Test(arguments: [
        ("../c", ""), ("a/%2e%2E/b", " Encoded='true'"), ("a b", " Encoded='true'"), ("a?b", " Encoded='true'"),
    ])
    func `rejects a blob name that leads out of the container`(name: String, attributes: String) async throws {
        let (hub, transport) = try hub(pages: ["": Self.list([name], attributes: attributes)])
        let error = await #expect(throws: HubError.self) { try await handles(hub) }
        #expect(error?.code == .invalidResponse && transport.requests.count == 2)
    }

    @Test func `rejects a duplicate marker`() async throws {
        let (hub, transport) = try hub(pages: ["": Self.list([], next: "a"), "a": Self.list([], next: "a")])
        let error = await #expect(throws: HubError.self) { try await handles(hub) }
        #expect(error?.detail?.contains("duplicate marker") == true && transport.requests.count == 3)
    }

    @Test(arguments: [301, 307, 403, 404])
    func `throws the storage's error and does not follow redirects`(status: Int) async throws {
        let transport = ScriptedTransport { request in
            request.path == "/push/feedbackcontainer"
                ? HubResponse(status: 200, body: Array(Self.container.utf8))
                : HubResponse(
                    status: status, headers: ["Location": "https://elsewhere/"],
                    body: Array("<Error><Code>AuthenticationFailed</Code><Message>No &#10; way.</Message></Error>".utf8)
                )
        }
        let hub = try NotificationHub.scripted(transport)
        let error = await #expect(throws: HubError.self) { try await handles(hub) }
        #expect(error?.status == status && error?.detail == "No   way.")
        #expect(transport.requests.count == 2)
    }

    @Test(arguments: [1, 100]) func `continues after a part that is shorter than requested`(partLength: Int)
        async throws
    {
        let blob = Array((FeedbackReaderTests.document(1) + FeedbackReaderTests.document(2)).utf8)
        let length = partLength == 1 ? FeedbackReaderTests.document(1).utf8.count : partLength
        let (hub, _) = try hub(pages: ["": Self.list(["a"])], blobs: ["/00297/a": blob], partLength: length)
        #expect(try await handles(hub) == ["1", "2"])
    }

    @Test(arguments: [200, 416]) func `rejects a response without a range after the first part`(status: Int)
        async throws
    {
        let document = Array(FeedbackReaderTests.document(1).utf8)
        let transport = ScriptedTransport { request in
            if request.path == "/push/feedbackcontainer" {
                return HubResponse(status: 200, body: Array(Self.container.utf8))
            }
            if request.query.contains("comp=list") { return HubResponse(status: 200, body: Self.list(["a"])) }
            guard request.headers["Range"]?.hasPrefix("bytes=0-") == true else {
                return HubResponse(status: status, body: document + document)
            }
            let range = "bytes 0-\(document.count - 1)/\(2 * document.count)"
            return HubResponse(status: 206, headers: ["Content-Range": range], body: document)
        }
        let error = await #expect(throws: HubError.self) { try await handles(NotificationHub.scripted(transport)) }
        #expect(error?.code == .invalidResponse)
    }

    @Test func `rejects an unexpected range`() async throws {
        let transport = ScriptedTransport { request in
            if request.path == "/push/feedbackcontainer" {
                return HubResponse(status: 200, body: Array(Self.container.utf8))
            }
            if request.query.contains("comp=list") { return HubResponse(status: 200, body: Self.list(["a"])) }
            return HubResponse(status: 206, headers: ["Content-Range": "bytes 7-8/9"], body: [])
        }
        let error = await #expect(throws: HubError.self) { try await handles(NotificationHub.scripted(transport)) }
        #expect(error?.code == .invalidResponse)
    }

    @Test func `names an invalid blob and ends after the error`() async throws {
        let (hub, _) = try hub(
            pages: ["": Self.list(["a", "b"])],
            blobs: ["/00297/a": Array("<a/>".utf8), "/00297/b": Array(FeedbackReaderTests.document(1).utf8)])
        var iterator = hub.feedback().makeAsyncIterator()
        do {
            _ = try await iterator.next()
            Issue.record("the invalid blob was accepted")
        } catch let error as HubError {
            #expect(error.detail == "blob \"a\": 'a' is not PnsFeedback")
        }
        #expect(try await iterator.next() == nil)
    }

    @Test func `parses all properties of an entry and redacts handles`() async throws {
        let more = """
            <RegistrationId>1-2-3</RegistrationId><InstallationId>i</InstallationId><NotificationId>n</NotificationId>\
            <NewPnsHandle>open sesame</NewPnsHandle>
            """
        let (hub, _) = try hub(
            pages: ["": Self.list(["a"])], blobs: ["/00297/a": Array(FeedbackReaderTests.document(1, more).utf8)])
        let entry = try #require(try await hub.feedback().first { _ in true })
        #expect(entry.result == .expiredChannel && entry.platform == .windows)
        #expect(entry.time.timeIntervalSince1970 == 1_469_652_430)
        #expect(
            [
                entry.registrationID?.rawValue, entry.installationID?.rawValue, entry.notificationID?.rawValue,
                entry.newHandle,
            ]
                == ["1-2-3", "i", "n", "open sesame"])
        for secret in ["😀", "sesame"] { #expect(!everythingPrinted(of: entry).contains(secret)) }
    }
}

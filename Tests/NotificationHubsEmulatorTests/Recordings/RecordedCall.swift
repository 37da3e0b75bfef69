import Foundation
import HubTestSupport
import NotificationHubs
import Testing

/// A recorded call to the real service: the request, as far as it is known, and the response.
struct RecordedCall {
    var method: HubRequest.Method
    var host: String
    var path: String
    var query: String
    var headers: HubHeaders = [:]
    var body = ""
    var hasListenKey = false
    let response: Response
    /// The year of the recording.
    var year: String { response.headers["date"].map { String($0.split(separator: " ")[3]) } ?? "" }

    struct Response {
        var status: Int
        /// The headers by lowercase name.
        var headers: [String: String]
        var body: String
    }
}

/// The recordings in the directory `HUB_RECORDINGS`.
enum Recordings {
    /// The directory. A relative path starts at the repository's root.
    static let folder = ProcessInfo.processInfo.environment["HUB_RECORDINGS"].map {
        URL(filePath: $0, directoryHint: .isDirectory, relativeTo: Fixtures.root)
    }

    /// Returns the sessions with their names and calls, in order.
    static func sessions() throws -> [(name: String, calls: [RecordedCall])] {
        try names("dotnet").map { ($0, try dotNet($0)) } + names("js").map { ($0, try javaScript($0)) }
    }

    private static func names(_ folder: String) throws -> [String] {
        let base = try #require(Self.folder)
        return try FileManager.default.contentsOfDirectory(atPath: base.appending(path: folder).path).sorted()
            .map { "\(folder)/\($0)" }
    }

    private static func read<Value: Decodable>(_ type: Value.Type, _ path: String) throws -> Value {
        let base = try #require(folder)
        return try JSONDecoder().decode(type, from: Data(contentsOf: base.appending(path: path)))
    }

    // MARK: .NET (responses only)

    private struct Session: Decodable {
        struct Call: Decodable {
            var RequestUriPath: String
            var StatusCode: Int
            var Headers: [String: String]
            var ContentHeaders: [String: String]
            var Content: String?
        }

        var HttpCalls: [Call]
    }

    private static func dotNet(_ name: String) throws -> [RecordedCall] {
        let calls = try read(Session.self, name).HttpCalls
        let installation = calls.last { $0.Content?.hasPrefix("{\"installationId\"") == true }?.Content
        var writeCount = 0
        return try calls.map { call in
            let (path, query) = parts(call.RequestUriPath)
            let headers = call.Headers.merging(call.ContentHeaders) { $1 }.map { ($0.key.lowercased(), $0.value) }
            let response = RecordedCall.Response(
                status: call.StatusCode, headers: Dictionary(headers) { $1 }, body: call.Content ?? "")
            var recorded = RecordedCall(
                method: .get, host: "sdk-sample-namespace.servicebus.windows.net", path: path, query: query,
                response: response)
            if path.contains("/installations/") {
                (recorded.method, recorded.body) = try installationRequest(
                    call.StatusCode, call.Content, &writeCount, installation)
            } else if RecordedRegistrations.contains(path) {
                (recorded.method, recorded.headers, recorded.body) = RecordedRegistrations.request(path: path, response)
            } else if path.hasSuffix("/messages") {
                recorded.method = .post
                recorded.headers = [
                    "Content-Type": "application/json",
                    "ServiceBusNotification-Format": name.contains("Template") ? "template" : "apple",
                ]
                if query.contains("direct") { recorded.headers["ServiceBusNotification-DeviceHandle"] = "AB" }
                recorded.body = "{}"
                recorded.hasListenKey = name.contains("ListenOnly")
            }
            return recorded
        }
    }

    /// Reconstructs the request of an installation call: the first write puts the final installation, later ones patch it.
    private static func installationRequest(
        _ status: Int, _ content: String?, _ writeCount: inout Int, _ installation: String?
    ) throws -> (HubRequest.Method, String) {
        if status == 204 { return (.delete, "") }
        guard content == nil, let installation else { return (.get, "") }
        writeCount += 1
        let json = try #require(try JSONSerialization.jsonObject(with: Data(installation.utf8)) as? [String: Any])
        if writeCount > 1 {
            let user = try #require(json["userId"] as? String)
            return (.patch, "[{\"op\":\"add\",\"path\":\"/userId\",\"value\":\"\(user)\"}]")
        }
        var put = json.filter { !["pushChannelExpired", "expirationTime"].contains($0.key) }
        if var templates = put["templates"] as? [String: [String: Any]] {
            for name in templates.keys { templates[name]?["tags"] = nil }
            put["templates"] = templates
        }
        return (.put, String(decoding: try JSONSerialization.data(withJSONObject: put), as: UTF8.self))
    }

    // MARK: JavaScript

    private struct Recording: Decodable {
        struct Entry: Decodable {
            var RequestUri: String
            var RequestMethod: String
            var RequestHeaders: [String: String]
            var RequestBody: JSONValue?
            var StatusCode: Int
            var ResponseHeaders: [String: String]
        }

        var Entries: [Entry]
    }

    private static func javaScript(_ name: String) throws -> [RecordedCall] {
        try read(Recording.self, name).Entries.map { entry in
            let url = entry.RequestUri.dropFirst("https://".count)
            let host = url.prefix { $0 != "/" }
            let (path, query) = parts(String(url[host.endIndex...]))
            return RecordedCall(
                method: HubRequest.Method(rawValue: entry.RequestMethod), host: String(host), path: path,
                query: query, headers: HubHeaders(entry.RequestHeaders.map { ($0.key, $0.value) }),
                body: String(decoding: entry.RequestBody?.bytes ?? [], as: UTF8.self),
                response: .init(
                    status: entry.StatusCode,
                    headers: Dictionary(
                        entry.ResponseHeaders.map { ($0.key.lowercased(), $0.value) }, uniquingKeysWith: { $1 }),
                    body: ""))
        }
    }

    private static func parts(_ target: String) -> (path: String, query: String) {
        let parts = target.split(separator: "?", maxSplits: 1).map(String.init)
        return (parts[0], parts.count > 1 ? parts[1] : "")
    }
}

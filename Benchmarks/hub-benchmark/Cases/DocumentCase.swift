import NotificationHubs

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A case that reads or writes documents of the service, with this package or, for comparison, with Foundation.
struct DocumentCase: LoadCase {
    enum Work: String, CaseIterable, Sendable {
        case readInstallation = "decode/installation"
        case readWithFoundation = "decode/foundation"
        case decodeInstallation = "decode/decodable"
        case writeInstallation = "encode/installation"
        case writeWithFoundation = "encode/foundation"
        case readRegistrations = "decode/registrations"
        case findProblems = "decode/template-problems"
    }

    let work: Work

    var name: String { work.rawValue }

    /// The number of documents in a call, because a call itself takes about as long as a document.
    private static let documentCount = 100

    func run(_ options: Options) async throws -> Measurement {
        let call = try Self.call(work)
        let count = max(1, options.count / Self.documentCount)
        var measurement = try await LoadMeter(count: count, inFlight: 1).measure(name) { _ in
            guard try await call() == Self.documentCount else {
                throw UnexpectedStateError(description: "\(work.rawValue): unexpected content in a document")
            }
        }
        measurement.unitCount = Self.documentCount
        return measurement
    }

    /// Returns a function that reads or writes documents, and returns the number of those that are as expected.
    private static func call(_ work: Work) throws -> @Sendable () async throws -> Int {
        let bytes = installation
        let device = try Installation(json: bytes)
        let data = Data(bytes)
        let plain = try JSONDecoder().decode(PlainInstallation.self, from: data)
        return switch work {
        case .readInstallation: { try repeated { try Installation(json: bytes).tags.count == 2 } }
        case .readWithFoundation:
            { try repeated { try JSONDecoder().decode(PlainInstallation.self, from: data).tags.count == 2 } }
        case .decodeInstallation:
            { try repeated { try JSONDecoder().decode(Installation.self, from: data).tags.count == 2 } }
        case .writeInstallation: { try repeated { device.json.count == bytes.count } }
        case .writeWithFoundation: { try repeated { try JSONEncoder().encode(plain).count >= bytes.count } }
        case .findProblems: { try repeated { device.templateProblems().isEmpty } }
        case .readRegistrations: try registrations()
        }
    }

    private static func repeated(_ body: () throws -> Bool) throws -> Int {
        var count = 0
        for _ in 0..<documentCount where try body() { count += 1 }
        return count
    }

    /// Returns a function that lists a page of registrations from memory.
    private static func registrations() throws -> @Sendable () async throws -> Int {
        let entries = (0..<documentCount).map { number in
            """
            <entry p2:etag="W/&quot;1&quot;" xmlns:p2="http://schemas.microsoft.com/ado/2007/08/dataservices/metadata"><id>\
            https://contoso.servicebus.windows.net/push/resources/\(number)-1?api-version=2020-06</id><title type="text">\
            \(number)-1</title><published>2026-01-31T12:00:00Z</published><updated>2026-01-31T12:00:00Z</updated>\
            <content type="application/xml"><AppleRegistrationDescription xmlns:i="http://www.w3.org/2001/XMLSchema-instance" \
            xmlns="http://schemas.microsoft.com/netservices/2010/10/servicebus/connect"><ETag>1</ETag>\
            <ExpirationTime>9999-12-31T23:59:59.9999999Z</ExpirationTime><RegistrationId>\(number)-1</RegistrationId>\
            <Tags>news,sports,$InstallationId:{phone-\(number)}</Tags><DeviceToken>00FC13AD</DeviceToken>\
            </AppleRegistrationDescription></content></entry>
            """
        }
        let feed =
            "<feed xmlns=\"http://www.w3.org/2005/Atom\"><title type=\"text\">Registrations</title>" + entries.joined()
            + "</feed>"
        let hub = try NotificationHub(
            connectionString: "Endpoint=sb://contoso.servicebus.windows.net/;SharedAccessKeyName=a;SharedAccessKey=key",
            hubName: "push", transport: FixedResponse(body: Array(feed.utf8)), options: .init(retry: .never))
        return {
            var count = 0
            for try await entry in hub.registrations() where entry.registration.tags.count == 3 { count += 1 }
            return count
        }
    }

    /// The installation of a device with a template: 366 bytes.
    private static let installation = Array(
        #"""
        {"installationId":"8a7d3f52-6e0b-4a90-9a5a-2b1f0c6de1f4","platform":"apns","pushChannel":"\#
        00FC13ADFF785122B4AD28809A3420982341241421348097878E577C991DE8F0","tags":["news","user:zoe"],"templates":{\#
        "alert":{"body":"{\"aps\":{\"alert\":{\"title\":\"$(title)\",\"body\":\"$(message)\"},\"sound\":\"default\"}}",\#
        "headers":{"apns-push-type":"alert"}}},"userId":"zoe@contoso.com"}
        """#.utf8)
}

/// An installation as an application would declare it for Foundation's coders.
private struct PlainInstallation: Codable, Sendable {
    struct Template: Codable {
        var body: String
        var headers: [String: String]?
    }

    var installationId: String
    var platform: String
    var pushChannel: String
    var tags: [String]
    var templates: [String: Template]
    var userId: String?
}

/// A transport whose response is in memory.
private struct FixedResponse: HubTransport {
    let body: [UInt8]

    func send(_ request: HubRequest, timeout: Duration) async throws(HubTransportError) -> HubResponse {
        HubResponse(status: 200, body: body)
    }
}

import Foundation
import NotificationHubs
import NotificationHubsHTTP
import PushBackend
import SharedAccessSignature

/// Runs this package's client of Azure Storage for Tests/Scripts/emulator/azure-storage.
///
/// `sign` reads requests as JSON lines with account, method, url and headers, and prints each string to sign as a JSON string. The other commands use the
/// container NAME of the connection string in `STORAGE`, or the container's URL in `CONTAINER_URL`:
///
///     HubStorageCheck sign < REQUESTS
///     HubStorageCheck insert NAME USER TEXT SECONDS    prints the ID
///     HubStorageCheck read NAME USER ID                prints the text, or nothing
///     HubStorageCheck claim NAME USER ID DEVICE        prints true or false
///     HubStorageCheck remove NAME USER ID
///     HubStorageCheck sweep NAME                       prints the number of deleted payloads
@main
enum StorageCheck {
    static func main() async throws {
        let arguments = Array(CommandLine.arguments.dropFirst())
        guard let command = arguments.first else { exit(2) }
        if command == "sign" { return try sign() }
        guard arguments.count >= 2 else { exit(2) }
        let store = BlobPayloadStore(container: try container(named: arguments[1]), transport: try HubHTTPTransport())
        if command == "sweep" { return print(try await store.removeExpired()) }
        guard arguments.count >= 4 else { exit(2) }
        let user = AppBackend.User(name: arguments[2])
        if command == "insert", arguments.count == 5, let seconds = Double(arguments[4]) {
            let payload = SecurePayload(
                text: arguments[3], user: user, expiry: Date(timeIntervalSinceNow: seconds))
            return print(try await store.insert(payload))
        }
        guard let id = SecurePayload.ID(arguments[3]) else { exit(2) }
        switch command {
        case "read": if let payload = try await store.payload(id, of: user) { print(payload.text) }
        case "claim" where arguments.count == 5: print(try await store.claim(id, of: user, by: arguments[4]))
        case "remove": try await store.remove(id, of: user)
        default: exit(2)
        }
    }

    private static func container(named name: String) throws -> BlobPayloadStore.Container {
        let environment = ProcessInfo.processInfo.environment
        if let url = environment["CONTAINER_URL"] { return .init(try NotificationHub.StorageURL(validating: url)) }
        return try .init(connectionString: environment["STORAGE"] ?? "", named: name)
    }

    private static func sign() throws {
        struct Request: Decodable {
            let account: String
            let method: String
            let url: String
            let headers: [[String]]
        }
        while let line = readLine() {
            let input = try JSONDecoder().decode(Request.self, from: Data(line.utf8))
            let scheme = input.url.hasPrefix("https://") ? "https://" : "http://"
            let rest = input.url.dropFirst(scheme.count)
            let slash = rest.firstIndex(of: "/") ?? rest.endIndex
            let mark = rest.firstIndex(of: "?") ?? rest.endIndex
            let request = HubRequest(
                HubRequest.Method(rawValue: input.method),
                endpoint: try ServiceEndpoint(
                    scheme + String(rest[..<slash]), isDevelopmentEmulator: scheme == "http://"),
                path: String(rest[slash..<mark]), query: String(rest[mark...].dropFirst()),
                headers: HubHeaders(input.headers.map { (name: $0[0], value: $0[1]) }))
            let text = StorageStringToSign.text(of: request, account: input.account)
            print(String(decoding: try JSONEncoder().encode(text), as: UTF8.self))
        }
    }
}

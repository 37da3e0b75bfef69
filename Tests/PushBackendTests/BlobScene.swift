import Foundation
import HubLock
import HubTestSupport
import NotificationHubs
import NotificationHubsEmulator

@testable import PushBackend

/// A container in an emulated storage account, and the faults between it and its clients.
final class BlobScene: HubTransport {
    /// A fault of one request.
    enum Fault: Sendable {
        /// The request is lost.
        case lostRequest
        /// The service handles the request, but its response is lost after another client's calls.
        case lostResponse(after: @Sendable () async throws -> Void = {})
        case status(Int, serviceCode: String? = nil)

        /// A blob with the name exists.
        static let nameInUse = status(409, serviceCode: "BlobAlreadyExists")
    }

    let emulator: HubEmulator
    let container: HubEmulator.Container
    private let now: @Sendable () -> Date
    private let faults = Locked<[(method: HubRequest.Method, fault: Fault)]>([])
    private let requests = Locked<[HubRequest]>([])

    init(now: @escaping @Sendable () -> Date = { BackendScene.start }) throws {
        emulator = HubEmulator(hubName: "push", now: now)
        container = try emulator.makeContainer(named: "payloads")
        self.now = now
    }

    /// Returns a store, as in another instance of the backend, whose requests are retried without delays.
    func store(
        _ container: BlobPayloadStore.Container? = nil, ids: SecurePayload.ID.Format = .text, countPerUser: Int? = nil,
        maximumAttempts: Int = 4, pageSize: Int = PayloadBlobPage.defaultSize
    ) throws -> BlobPayloadStore {
        let time = CallTime(
            elapsed: { .zero }, sleep: { _ in await Task.yield() }, random: { 0 },
            now: { [now] in Int64(now().timeIntervalSince1970.rounded(.down)) })
        return BlobPayloadStore(
            container: try container
                ?? .init(connectionString: emulator.storageConnectionString, named: "payloads"),
            ids: ids, countPerUser: countPerUser,
            client: StorageClient(
                transport: self, options: .patient(retry: RetryPolicy(maximumAttempts: maximumAttempts)), time: time),
            pageSize: pageSize)
    }

    /// Injects a fault into the next requests with a method.
    func inject(_ fault: Fault, on method: HubRequest.Method, count: Int = 1) {
        faults.withLock { $0 += Array(repeating: (method, fault), count: count) }
    }

    /// The methods of the requests so far.
    var methods: [String] { requests.withLock { $0.map(\.method.rawValue) } }

    /// The queries of the requests so far.
    var queries: [String] { requests.withLock { $0.map(\.query) } }

    func clearRequests() { requests.withLock { $0 = [] } }

    /// The names of the container's blobs, and their contents.
    func blobs() async throws -> [(name: String, bytes: [UInt8])] {
        let query = "restype=container&comp=list&" + container.url.query
        let request = HubRequest(.get, endpoint: container.url.endpoint, path: container.url.path, query: query)
        let list = try XMLReader.read(try await emulator.send(request, timeout: .seconds(1)).body)
        return (list["Blobs"]?.children ?? []).compactMap { blob in
            blob["Name"].map { name in (name.text, container.read(name.text) ?? []) }
        }
    }

    func send(_ request: HubRequest, timeout: Duration) async throws -> HubResponse {
        requests.withLock { $0.append(request) }
        let fault = faults.withLock { faults in
            faults.firstIndex { $0.method == request.method }.map { faults.remove(at: $0).fault }
        }
        switch fault {
        case nil: break
        case .lostRequest: throw HubTransportError("connection reset", delivery: .unknown)
        case .lostResponse(let calls):
            _ = try await emulator.send(request, timeout: timeout)
            try await calls()
            throw HubTransportError("connection reset", delivery: .unknown)
        case .status(let status, let serviceCode):
            return HubResponse(status: status, headers: serviceCode.map { ["x-ms-error-code": $0] } ?? [:])
        }
        return try await emulator.send(request, timeout: timeout)
    }
}

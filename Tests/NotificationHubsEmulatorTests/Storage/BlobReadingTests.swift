import HubTestSupport
import NotificationHubs
import NotificationHubsEmulator
import Testing

@Suite struct BlobReadingTests {
    private let emulator = HubEmulator(hubName: "hub")
    private var hub: NotificationHub { emulator.makeClient(options: .patient()) }

    @Test(arguments: [0, 1, 9, 10, 11, 20, 105])
    func `reads all parts of a blob in order`(size: Int) async throws {
        let container = try emulator.makeContainer(named: "jobs")
        let bytes = (0..<size).map { UInt8($0) }
        try container.write(bytes, to: "a b/ä")
        var read: [UInt8] = []
        try await hub.readBlob(container.url.blob("a b/ä"), partsOf: 10) { part, total in
            #expect(total == size && part.count <= 10)
            read += part
            return true
        }
        #expect(read == bytes)
    }

    @Test func `stops when the receiver returns false`() async throws {
        let container = try emulator.makeContainer(named: "jobs")
        try container.write([1, 2, 3], to: "b")
        var count = 0
        try await hub.readBlob(container.url.blob("b"), partsOf: 1) { _, _ in
            count += 1
            return false
        }
        #expect(count == 1)
    }

    @Test func `throws if the blob changes between two parts`() async throws {
        let container = try emulator.makeContainer(named: "jobs")
        try container.write([1, 2, 3], to: "b")
        let error = await #expect(throws: HubError.self) {
            try await hub.readBlob(container.url.blob("b"), partsOf: 2) { _, _ in
                try container.write([4, 5, 6], to: "b")
                return true
            }
        }
        #expect(error?.code == .preconditionFailed)
    }

    @Test func `throws for a missing blob`() async throws {
        let container = try emulator.makeContainer(named: "jobs")
        let error = await #expect(throws: HubError.self) {
            try await hub.readBlob(container.url.blob("b")) { _, _ in true }
        }
        #expect(error?.code == .notFound)
    }

    @Test(arguments: ["", "..", "a/../b", "a/%2e%2e/b"])
    func `rejects a name that leaves the container`(name: String) throws {
        let container = try emulator.makeContainer(named: "jobs")
        #expect(throws: HubValidationError.self) { try container.url.blob(name) }
    }
}

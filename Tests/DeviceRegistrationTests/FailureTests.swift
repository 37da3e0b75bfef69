import DeviceRegistration
import NotificationHubs
import Testing

/// Failures of the parts that an app supplies: the transport, the storage and the credential.
@Suite struct FailureTests {
    private struct AppError: Error, Equatable {}

    private struct LeakingError: Error, CustomStringConvertible {
        let description: String
    }

    /// A transport whose error describes the request's credential.
    private struct LeakingTransport: HubTransport {
        func send(_ request: HubRequest, timeout: Duration) async throws -> HubResponse {
            throw LeakingError(description: request.headers["Authorization"] ?? "")
        }
    }

    /// A storage that contains no ID and cannot store one, or whose ID cannot be read.
    private struct BrokenStorage: RegistrationIDStorage {
        let isReadable: Bool

        func registrationID() throws -> Registration.ID? {
            if !isReadable { throw AppError() }
            return nil
        }

        func setRegistrationID(_ id: Registration.ID?) throws { throw AppError() }
    }

    private let channel = PushChannel.apple(deviceToken: [0xAB, 0xCD])

    @Test func `passes its timeout to the transport`() async throws {
        let backend = ScriptedBackend(.ok)
        try await backend.registrar(timeout: .seconds(7)).notifyOwnDevices("hello")
        #expect(backend.timeouts == [.seconds(7)])
    }

    @Test func `reports only the type of a transport's own error`() async throws {
        let registrar = DeviceRegistrar(
            backend: try DeviceRegistrar.Address("https://push.contoso.com"), transport: LeakingTransport(),
            storage: .memory, credential: { try .bearer("ticket") })
        let error = await #expect(throws: DeviceRegistrationError.self) {
            try await registrar.notifyOwnDevices("hello")
        }
        #expect(error?.code == .mayHaveBeenDone)
        #expect(error?.detail == "the transport failed with LeakingError")
    }

    @Test func `rethrows an error of the credential without sending a request`() async throws {
        let backend = ScriptedBackend(.ok)
        let registrar = try backend.registrar(credential: { throw AppError() })
        await #expect(throws: AppError()) { try await registrar.notifyOwnDevices("hello") }
        #expect(backend.requests.isEmpty)
    }

    @Test(arguments: [(false, 0), (true, 1)])
    func `rethrows an error of the storage`(isReadable: Bool, requestCount: Int) async throws {
        let backend = ScriptedBackend(.id("1-2-3"), .ok)
        let registrar = try backend.registrar(BrokenStorage(isReadable: isReadable))
        await #expect(throws: AppError()) { try await registrar.register(channel) }
        #expect(backend.requests.count == requestCount)
    }
}

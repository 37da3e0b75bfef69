import NotificationHubsEmulatorServer
import DeviceRegistration
import Foundation
import HubCrypto
import NotificationHubs
import NotificationHubsEmulator
import NotificationHubsHTTP
import PushBackend
import SharedAccessSignature
import Testing

/// A value of each public type that can hold a secret, with secrets in it. Every secret contains ``marker``, or is a signature.
struct SecretSamples {
    static let marker = "sesame"
    static let key = String(repeating: marker, count: 7) + "s="
    static let storage = "https://store.example/c?sv=2020-06-12&sig=sesame%2Fsesame%3D"

    let emulator: HubEmulator
    let hub: NotificationHub
    let channels: [PushChannel] = [
        .browser(.init(endpoint: "https://push.example/sesame", p256dh: "sesame", auth: "sesame")),
        .fcmV1(registrationToken: "sesame"), .windows(channelURI: "https://push.example/?token=sesame"),
    ]

    init() throws {
        let policies = HubEmulator.AccessPolicy.defaults().map {
            HubEmulator.AccessPolicy(name: $0.name, key: Self.key, secondaryKey: Self.key, rights: $0.rights)
        }
        emulator = HubEmulator(
            policies: policies, options: .init(storageAccount: try .init(name: "store", key: Self.key)))
        hub = emulator.makeClient()
    }

    func values() async throws -> [Any] {
        let local: [[Any]] = try [signing(), cryptography(), requests(), devices(), namespaces()]
        let remote: [[Any]] = try await [backends(), payloads(), results(), sequences(), emulators()]
        return (local + remote).flatMap { $0 }
    }

    private func cryptography() -> [Any] {
        let key = HMAC.Key(data: Self.key.utf8)
        var hash = SHA256()
        hash.update(data: Self.key.utf8)
        return [key, HMAC(key: key), hash, HMAC.authenticationCode(for: "a".utf8, using: Self.key.utf8)]
    }

    private func signing() throws -> [Any] {
        let key = SharedAccessKey(name: "rule", secret: Self.key)
        let signer = SASSigner(key: key, resource: "https://h/hub")
        let token = signer.token(expiringAt: 1_900_000_000)
        let batch = SASBatchSigner(key: key, resources: ["https://h/hub"])
        let connection = try ConnectionString("Endpoint=sb://h/;SharedAccessKeyName=rule;SharedAccessKey=\(Self.key)")
        let signed = try ConnectionString("Endpoint=sb://h/;SharedAccessSignature=\(token.headerValue)")
        return [
            key, signer, token, StringToSign(token), batch, batch.tokens(expiringAt: 1), connection, signed,
            signed.credential, SASSigningSource(key: key, secondary: key), SASFetchingSource { _ in token },
            SASVerifier(keys: [key]),
        ]
    }

    private func requests() throws -> [Any] {
        let headers: HubHeaders = [
            "authorization": "sesame", "Proxy-Authorization": "Basic sesame", "Cookie": "sesame",
            "Set-Cookie": "a=sesame",
            "ServiceBusNotification-DeviceHandle": "sesame", "Auth": "sesame", "Location": Self.storage,
            "x-ms-copy-source": "https://a.example/?s%69g=sesame",
        ]
        let queries = [
            "sig=sesame", "%73ig=sesame", "a=b&SIG=sesame", "%24Filter=sesame", "$filter=sesame", "hand%6ce=sesame",
        ]
        let requests = queries.map {
            HubRequest(
                .get, endpoint: hub.endpoint, path: "/a", query: $0, headers: headers, body: Array(Self.key.utf8))
        }
        return [headers, HubResponse(status: 200, headers: headers, body: Array(Self.key.utf8))] + requests
    }

    private func devices() throws -> [Any] {
        let installations = channels.map { Installation(id: "i", pushChannel: $0) }
        let tile = Installation.SecondaryTile(pushChannel: "sesame")
        let change = Installation.SecondaryTile.Change.setPushChannel(channels[2])
        let registration = Registration(pushChannel: channels[0])
        let unknown = try Installation(
            json: #"{"installationId":"i","platform":"fcmv1","pushChannel":"sesame","other":"sesame"}"#.utf8)
        return channels + installations + [
            unknown, unknown.additionalProperties,
            PushChannel.BrowserSubscription(endpoint: "https://push.example/sesame", p256dh: "sesame", auth: "sesame"),
            tile,
            change, Installation.Patch.setPushChannel(channels[0]), Installation.Patch.changeSecondaryTile("t", change),
            registration, Registration.Selection.pushChannel(channels[0]), PushNotification.Direct.device(channels[0]),
            PushNotification.Batch.devices(channels),
        ]
    }

    private func namespaces() throws -> [Any] {
        let policy = NotificationHub.AccessPolicy(
            name: "p", rights: [.listen], primaryKey: Self.key, secondaryKey: Self.key)
        let credential: NotificationHub.PlatformCredential = ["GoogleCloudMessagingKey": "sesame", "Token": "sesame"]
        var description = NotificationHub.Description(name: "hub")
        description.accessPolicies = [policy]
        description.credentials = [.fcmV1: credential]
        let url = try NotificationHub.StorageURL(validating: Self.storage)
        let connection = try ConnectionString(emulator.connectionString)
        return [
            policy, credential, description, url, NotificationHub.Job.Request.export(to: url), hub,
            NotificationHubNamespace(connection: connection, transport: emulator),
            try HubHTTPTransport(),
        ]
    }

    private func results() async throws -> [Any] {
        try await hub.putInstallation(Installation(id: "i", pushChannel: channels[1], tags: ["t"]))
        let entry = try await hub.createRegistration(Registration(pushChannel: channels[1], tags: ["t"]))
        let report = try await hub.send(.fcmV1(#"{"message":{}}"#), to: .devices([channels[1]]))
        let test = try await hub.testSend(.fcmV1(#"{"message":{}}"#), to: .tag("t"))
        let receipt = try await hub.send(.fcmV1(#"{"message":{}}"#), to: .tag("t"))
        let outcome = try await hub.outcome(of: #require(receipt.notificationID))
        let container = try emulator.makeContainer(named: "results")
        let job = try await hub.submitJob(.export(to: container.url))
        let chunk = report.chunks[0]
        return [entry, report, test, outcome, container, job, chunk, chunk.recipients, chunk.status] + test.results
    }

    private func sequences() async throws -> [Any] {
        let (registrations, installations, feedback) = (hub.registrations(), hub.installations(), hub.feedback())
        let outcomes = hub.outcomes(of: try .init(validating: "n")), jobs = hub.progress(of: try .init(validating: "j"))
        var (a, b, c) = (
            registrations.makeAsyncIterator(), registrations.pages.makeAsyncIterator(), feedback.makeAsyncIterator()
        )
        var (d, e) = (installations.makeAsyncIterator(), installations.pages.makeAsyncIterator())
        emulator.expire(channels[1])
        _ = try await hub.send(.fcmV1(#"{"message":{}}"#), to: .tag("t"))
        let found: [Any?] = [
            try await a.next(), try await b.next(), try await c.next(), try await d.next(), try await e.next(),
        ]
        return [
            registrations, registrations.pages, installations, installations.pages, feedback, outcomes, jobs, a, b, c,
            d, e,
            outcomes.makeAsyncIterator(), jobs.makeAsyncIterator(),
        ] + found.compactMap(\.self)
    }

    private func emulators() async throws -> [Any] {
        let server = try HubEmulator.Server([emulator], listeningOn: "127.0.0.1", controlToken: Self.key)
        defer { server.stop() }
        let updates = emulator.deliveryUpdates()
        var iterator = updates.makeAsyncIterator()
        let delivery = await iterator.next()
        return [
            emulator, emulator.policies[0], emulator.options, emulator.options.storageAccount, server, updates,
            iterator,
            try #require(delivery),
        ]
    }

    private func backends() async throws -> [Any] {
        let password = Self.key
        let basic = AppBackend.BasicAuthenticator { name, given in given == password ? name : nil }
        let bearer = AppBackend.BearerAuthenticator { given in given == password ? "a" : nil }
        let container = try BlobPayloadStore.Container(
            connectionString: "AccountName=store;AccountKey=\(Self.key);EndpointSuffix=core.windows.net",
            named: "payloads")
        let store = BlobPayloadStore(container: container, transport: emulator)
        return [
            basic, bearer, container, store, BlobPayloadStore.Container(try .init(validating: Self.storage)),
            AppBackend.Mode.securePush(store: store),
        ]
    }

    private func payloads() async throws -> [Any] {
        let password = Self.key
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: folder) }
        let directory = try DirectoryPayloadStore(path: folder.path())
        let memory = MemoryPayloadStore()
        let payload = SecurePayload(text: Self.key, user: .init(name: "a"), expiry: Date.distantFuture)
        _ = try await directory.insert(payload)
        let id = try await memory.insert(payload)
        let bearer = AppBackend.BearerAuthenticator { given in given == password ? "a" : nil }
        let backend = AppBackend(hub: hub, authenticator: bearer, mode: .securePush(store: memory))
        let request = AppBackend.Request(
            method: "GET", target: "/api/notifications/\(id)?handle=sesame",
            headers: [("Authorization", "Bearer \(password)")], body: password.utf8)
        let credential = try DeviceRegistrar.Credential.bearer(password)
        let registrar = try DeviceRegistrar(
            backend: .init("https://backend.example"), transport: BackendTransport(backend: backend), storage: .memory,
            credential: { credential })
        return [
            payload, directory, memory, backend, request, await backend.respond(to: request), registrar, credential,
            try DeviceRegistrar.Credential.basic(name: "a", password: password),
            try await registrar.securePayload(.init(validating: id.rawValue)),
        ]
    }
}

/// Passes requests to a backend in this process.
private struct BackendTransport: HubTransport {
    let backend: AppBackend

    func send(_ request: HubRequest, timeout: Duration) async -> HubResponse {
        let response = await backend.respond(
            to: .init(
                method: request.method.rawValue, target: request.path, headers: request.headers, body: request.body))
        return HubResponse(status: response.status, headers: response.headers, body: response.body)
    }
}

public import NotificationHubs

#if canImport(FoundationEssentials)
import struct FoundationEssentials.Date
#else
import struct Foundation.Date
#endif

extension HubEmulator {
    /// A blob container in the emulator, which jobs read and write.
    ///
    /// ```swift
    /// let container = try emulator.makeContainer(named: "jobs")
    /// try await hub.submitJob(.export(to: container.url))
    /// ```
    public struct Container: Sendable {
        /// The container's URL, with its signature. Treat it as a secret.
        public let url: NotificationHub.StorageURL
        private let emulator: HubEmulator
        private let address: BlobAddress
        private let endpoint: String

        fileprivate init(_ emulator: HubEmulator, _ address: BlobAddress, at endpoint: String) throws(BlobError) {
            (self.emulator, self.address, self.endpoint) = (emulator, address, endpoint)
            url = try Self.url(address, at: endpoint)
        }

        /// Returns the URL of a blob, with the container's signature. Treat it as a secret.
        ///
        /// - Throws: ``HubEmulator/BlobError`` if the name cannot be part of a URL.
        public func url(of blob: String) throws(BlobError) -> NotificationHub.StorageURL {
            try Self.url(address.blob(blob), at: endpoint)
        }

        private static func url(_ address: BlobAddress, at endpoint: String) throws(BlobError)
            -> NotificationHub.StorageURL
        {
            do {
                return try NotificationHub.StorageURL(validating: address.url(at: endpoint))
            } catch {
                throw BlobError(400, "InvalidUri", "\(error)")
            }
        }

        /// Returns a blob's bytes, or `nil` if the blob does not exist.
        public func read(_ blob: String) -> [UInt8]? {
            emulator.read { try? $0.blobs.bytes(at: address.blob(blob)) }
        }

        /// Writes a blob. An existing blob with the same name is replaced.
        ///
        /// - Throws: ``HubEmulator/BlobError`` if the name is invalid, the storage is full, or the emulator was reset.
        public func write(_ bytes: some Sequence<UInt8>, to blob: String) throws(BlobError) {
            let (bytes, now) = (Array(bytes), emulator.now())
            try emulator.mutateBlobs { blobs throws(BlobError) in try blobs.put(bytes, at: address.blob(blob), now: now)
            }
        }
    }

    /// Returns the container with the given name, creating it if needed. Its URL is valid only within this process.
    ///
    /// - Parameter name: 3 to 63 lowercase letters, digits and hyphens.
    /// - Throws: ``BlobError`` if the name is invalid, or the hub has too many containers.
    public func makeContainer(named name: String) throws(BlobError) -> Container {
        try makeContainer(named: name, at: "https://emulator.invalid")
    }

    /// - Parameter endpoint: The emulator's scheme, host and port.
    package func makeContainer(named name: String, at endpoint: String) throws(BlobError) -> Container {
        try Container(self, address(ofContainer: name), at: endpoint)
    }

    package func address(ofContainer name: String) throws(BlobError) -> BlobAddress {
        let now = now()
        return try mutateBlobs { blobs throws(BlobError) in try blobs.makeContainer(named: name, now: now) }
    }

    private func mutateBlobs<Result: Sendable>(
        _ body: (inout BlobStore) throws(BlobError) -> Result
    ) throws(BlobError) -> Result {
        try mutate { state throws(BlobError) in
            try state.checkMemoryForBlobs()
            return try body(&state.blobs)
        }
    }
}

extension HubEmulator.Container: CustomStringConvertible, CustomReflectable {
    /// The URL, without the signature.
    public var description: String { "\(url)" }

    /// A mirror of the URL, without the signature.
    public var customMirror: Mirror { Mirror(self, children: ["url": url]) }
}

extension HubEmulator {
    /// A connection string of the storage account, for a client in the same process that uses the emulator as its transport.
    public var storageConnectionString: String {
        options.storageAccount.connectionString(endpoint: "https://emulator.invalid")
    }

    /// Returns whether a request refers to the storage account, or to a container by its URL.
    func isForStorage(_ request: HubRequest) -> Bool {
        BlobAddress(path: request.path, query: request.query) != nil
            || options.storageAccount.location(of: request) != nil
    }

    /// Returns the response of the storage account.
    func respondByStorage(to request: HubRequest, now: Date) -> HubResponse {
        mutate { state in
            state.runDueWork(now: now)
            do throws(BlobError) {
                if request.method == .put { try state.checkMemoryForBlobs() }
                guard let address = BlobAddress(path: request.path, query: request.query) else {
                    return state.blobs.respond(to: request, of: options.storageAccount, now: now)
                }
                return state.blobs.respond(to: request, at: address, now: now)
            } catch {
                return error.response
            }
        }
    }
}

extension HubEmulator {
    /// Makes the platform reject a device from now on, as it does after the app is uninstalled.
    ///
    /// As in the service, the hub detects this when it sends the next message to the device:
    /// - The message is not delivered.
    /// - The telemetry and `NotificationHub.feedback()` report `ExpiredChannel`.
    /// - The device's registrations are removed.
    /// - Its installations have `pushChannelExpired` set and receive no messages until the next PUT or PATCH.
    ///
    /// ``reset()`` reverts this.
    ///
    /// - Parameter channel: The device's channel. After 10,000 channels, the hub adds a warning and ignores further ones.
    public func expire(_ channel: PushChannel) {
        let now = now()
        mutate { $0.reject(channel, now: now) }
    }
}

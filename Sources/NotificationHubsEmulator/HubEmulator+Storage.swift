public import NotificationHubs

extension HubEmulator {
    /// A blob container of the emulator's own, for jobs to read and write.
    ///
    /// ```swift
    /// let container = try emulator.makeContainer(named: "jobs")
    /// try await hub.submitJob(.export(to: container.url))
    /// ```
    public struct Container: Sendable {
        /// The container's URL, with the signature that opens it: a secret.
        public let url: NotificationHub.StorageURL
        private let emulator: HubEmulator
        private let address: BlobAddress
        private let endpoint: String

        fileprivate init(_ emulator: HubEmulator, _ address: BlobAddress, at endpoint: String) throws(BlobError) {
            (self.emulator, self.address, self.endpoint) = (emulator, address, endpoint)
            url = try Self.url(address, at: endpoint)
        }

        /// The URL of a blob in it, with the signature that opens it: a secret.
        ///
        /// - Throws: ``HubEmulator/BlobError`` for a name that no URL can have.
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

        /// A blob's bytes; `nil` if there is none of the name.
        public func read(_ blob: String) -> [UInt8]? {
            emulator.look { try? $0.blobs.bytes(at: address.blob(blob)) }
        }

        /// Writes a blob, in place of the one that may be there.
        ///
        /// - Throws: ``HubEmulator/BlobError`` if it is not a blob's name, the emulator has no room, or was reset.
        public func write(_ bytes: some Sequence<UInt8>, to blob: String) throws(BlobError) {
            let bytes = Array(bytes)
            try emulator.storing { blobs throws(BlobError) in try blobs.put(bytes, at: address.blob(blob)) }
        }
    }

    /// The container of a name; a new one, if there is none. Its URL leads nowhere but into this process.
    ///
    /// - Parameter name: 3 to 63 lower-case letters, digits and hyphens.
    /// - Throws: ``BlobError`` for any other name, and where there are too many.
    public func makeContainer(named name: String) throws(BlobError) -> Container {
        try makeContainer(named: name, at: "https://emulator.invalid")
    }

    /// - Parameter endpoint: scheme, host and port by which the emulator is reached.
    func makeContainer(named name: String, at endpoint: String) throws(BlobError) -> Container {
        try Container(self, address(ofContainer: name), at: endpoint)
    }

    func address(ofContainer name: String) throws(BlobError) -> BlobAddress {
        try storing { blobs throws(BlobError) in try blobs.makeContainer(named: name) }
    }

    private func storing<Result: Sendable>(
        _ body: (inout BlobStore) throws(BlobError) -> Result
    ) throws(BlobError) -> Result {
        try change { state in
            Swift.Result { () throws(BlobError) in try body(&state.blobs) }
        }.get()
    }
}

extension HubEmulator.Container: CustomStringConvertible, CustomReflectable {
    /// The URL, without the signature.
    public var description: String { "\(url)" }

    /// The URL, without the signature.
    public var customMirror: Mirror { Mirror(self, children: ["url": url]) }
}

extension HubEmulator {
    /// Has a device's platform refuse it from now on, as it does once the app is no longer there.
    ///
    /// The hub learns of it as the service does, when it sends the next message there: that is not delivered, the telemetry
    /// says `ExpiredChannel`, and so does `NotificationHub.feedback()`; the device's registrations are removed, and its
    /// installations say `pushChannelExpired` and get nothing any more until they are put again. That ends with
    /// ``reset()``.
    ///
    /// - Parameter channel: where the device is reached; of ten thousand, no more are taken, with a warning.
    public func expire(_ channel: PushChannel) {
        let now = now()
        change { $0.expire(channel, now: now) }
    }
}

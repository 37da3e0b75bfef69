import NotificationHubs

#if canImport(FoundationEssentials)
import struct FoundationEssentials.Date
#else
import struct Foundation.Date
#endif

extension BlobStore {
    /// Handles a request to a container's URL with its signature.
    mutating func respond(to request: HubRequest, at address: BlobAddress, now: Date) -> HubResponse {
        respond(to: request) { blobs throws(BlobError) in
            try blobs.checkSignature(address)
            let url = "\(request.endpoint)\(BlobAddress.prefix)/blobs/\(address.hubName)/"
            return (try BlobRequest(request, .init(address), accountURL: url), .container, now)
        }
    }

    /// Handles a request to a storage account.
    mutating func respond(
        to request: HubRequest, of account: HubEmulator.StorageAccount, now: Date
    ) -> HubResponse {
        respond(to: request) { _ throws(BlobError) in
            guard let location = account.location(of: request) else {
                throw BlobError(404, "ResourceNotFound", "the path does not start with the account's name")
            }
            let target = BlobRequest.Target(path: location.path.utf8)
            let access = try StorageAuthorization(account).access(to: target, by: request, now: now)
            return (try BlobRequest(request, target, accountURL: location.accountURL), access, now)
        }
    }

    private mutating func respond(
        to request: HubRequest,
        authorizing authorize: (BlobStore) throws(BlobError) -> (BlobRequest, BlobAccess, Date)
    ) -> HubResponse {
        var response: HubResponse
        do throws(BlobError) {
            let (call, access, now) = try authorize(self)
            let blobExists = containers[call.target.container]?[call.target.blob] != nil
            try access.check(call.operation, blobExists: blobExists)
            response = try perform(call, now: now)
        } catch {
            response = error.response
        }
        for name in ["x-ms-version", "x-ms-client-request-id"] {
            if let value = request.headers[name], value.utf8.count <= 1024 { response.headers[name] = value }
        }
        response.headers["x-ms-request-id"] = RandomID.uuid()
        return response
    }

    private mutating func perform(_ call: BlobRequest, now: Date) throws(BlobError) -> HubResponse {
        let (container, name, headers) = (call.target.container, call.target.blob, call.headers)
        switch call.operation {
        case .listContainers:
            return try listContainers(call)
        case .createContainer:
            guard containers[container] == nil else {
                throw BlobError(409, "ContainerAlreadyExists", "the container already exists")
            }
            let metadata = try BlobHeaders.metadata(headers)
            _ = try makeContainer(named: container, now: now)
            try setHeaders(metadata, ofContainer: container, now: now)
            return HubResponse(status: 201, headers: BlobHeaders.version(try self.container(container).version))
        case .deleteContainer:
            try removeContainer(container)
            return HubResponse(status: 202)
        case .getContainer:
            return HubResponse(status: 200, headers: BlobHeaders.all(try self.container(container)))
        case .setContainerMetadata:
            try setHeaders(try BlobHeaders.metadata(headers), ofContainer: container, now: now)
            return HubResponse(status: 200, headers: BlobHeaders.version(try self.container(container).version))
        case .listBlobs:
            return try listBlobs(call)
        case .getBlob:
            return try read(call)
        case .getBlobProperties:
            let blob = try blob(name, in: container)
            try BlobConditions(headers).checkRead(blob)
            return BlobHeaders.response(200, blob, blob.bytes)
        case .putBlob:
            try BlobConditions(headers).checkWrite(try self.container(container)[name])
            try put(call.request.body, headers: try BlobHeaders.written(headers), name, in: container, now: now)
            var response = HubResponse(
                status: 201, headers: BlobHeaders.version(try blob(name, in: container).version))
            response.headers["x-ms-request-server-encrypted"] = "true"
            return response
        case .setBlobMetadata, .setBlobProperties:
            let blob = try blob(name, in: container)
            try BlobConditions(headers).checkWrite(blob)
            let kept = try BlobHeaders.replacing(
                in: blob.headers, by: headers, metadata: call.operation == .setBlobMetadata)
            try put(blob.bytes, headers: kept, name, in: container, now: now)
            return HubResponse(status: 200, headers: BlobHeaders.version(try self.blob(name, in: container).version))
        case .deleteBlob:
            try BlobConditions(headers).checkWrite(try blob(name, in: container))
            try remove(name, in: container)
            return HubResponse(status: 202)
        }
    }

    private func read(_ call: BlobRequest) throws(BlobError) -> HubResponse {
        let blob = try blob(call.target.blob, in: call.target.container)
        try BlobConditions(call.headers).checkRead(blob)
        let bytes = blob.bytes
        guard let range = Self.range(call.headers["x-ms-range"] ?? call.headers["Range"] ?? "", of: bytes.count) else {
            return BlobHeaders.response(200, blob, bytes)
        }
        guard range.lowerBound < bytes.count else {
            var response = BlobError(416, "InvalidRange", "the range starts after the end of the blob").response
            response.headers["Content-Range"] = "bytes */\(bytes.count)"
            return response
        }
        var response = BlobHeaders.response(206, blob, Array(bytes[range]))
        response.headers["Content-Range"] = "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(bytes.count)"
        return response
    }

    /// Returns the range for `bytes=FIRST-LAST` or `bytes=FIRST-`, clamped to the blob; `nil` for any other text.
    ///
    /// An unsupported range is ignored (RFC 9110 §14.2).
    private static func range(_ text: String, of count: Int) -> Range<Int>? {
        guard text.hasPrefix("bytes=") else { return nil }
        let numbers = text.dropFirst("bytes=".count).split(separator: "-", omittingEmptySubsequences: false)
        guard numbers.count == 2, let first = Int(numbers[0]),
            let last = Int(numbers[1].isEmpty ? "\(Int.max)" : numbers[1]),
            first <= last
        else { return nil }
        return first..<max(first, min(last, count - 1) + 1)
    }
}

extension HubEmulator.BlobError {
    var response: HubResponse {
        // Not Modified has no body.
        if status == 304 { return HubResponse(status: status, headers: ["x-ms-error-code": code]) }
        let parts = [XMLElement(name: "Code", text: code), XMLElement(name: "Message", text: description)]
        var response = BlobHeaders.xml(status, XMLElement(name: "Error", children: parts))
        response.headers["x-ms-error-code"] = code
        return response
    }
}

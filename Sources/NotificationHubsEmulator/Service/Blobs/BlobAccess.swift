/// The operations that a credential permits.
enum BlobAccess: Sendable {
    /// All operations.
    case account
    /// All operations on the blobs of a container, and listing them.
    case container
    /// The operations of a shared access signature.
    ///
    /// - Parameters:
    ///   - permissions: The letters of `sp`.
    ///   - resourceTypes: The letters of an account signature's `srt`; `nil` for the signature of a container or a blob.
    case signature(permissions: Set<Character>, resourceTypes: Set<Character>?)

    /// Throws unless the credential permits an operation.
    ///
    /// - Parameter blobExists: Whether the blob exists; replacing a blob requires the permission to write.
    ///
    /// Source: [Permissions by operation](https://learn.microsoft.com/rest/api/storageservices/create-service-sas).
    func check(_ operation: BlobRequest.Operation, blobExists: Bool) throws(HubEmulator.BlobError) {
        let (type, permissions) = Self.requirement(operation, blobExists: blobExists)
        switch self {
        case .account:
            return
        case .container:
            if type == "o" || operation == .listBlobs { return }
            throw HubEmulator.BlobError(
                403, "AuthorizationPermissionMismatch", "the container's URL permits only operations on its blobs")
        case .signature(let granted, let types):
            guard types?.contains(type) ?? (type == "o" || operation == .listBlobs) else {
                throw HubEmulator.BlobError(
                    403, "AuthorizationResourceTypeMismatch",
                    "the signature does not permit operations on this type of resource: \(type) is missing in srt")
            }
            guard !granted.isDisjoint(with: permissions) else {
                throw HubEmulator.BlobError(
                    403, "AuthorizationPermissionMismatch",
                    "the signature does not permit the operation: sp must contain \(permissions)")
            }
        }
    }

    /// Returns the resource type in `srt` that an operation requires, and the permissions in `sp` of which one is sufficient.
    private static func requirement(
        _ operation: BlobRequest.Operation, blobExists: Bool
    ) -> (type: Character, permissions: String) {
        switch operation {
        case .listContainers: ("s", "l")
        case .createContainer: ("c", "cw")
        case .deleteContainer: ("c", "d")
        case .getContainer: ("c", "r")
        case .setContainerMetadata: ("c", "w")
        case .listBlobs: ("c", "l")
        case .getBlob, .getBlobProperties: ("o", "r")
        case .putBlob: ("o", blobExists ? "w" : "cw")
        case .setBlobMetadata, .setBlobProperties: ("o", "w")
        case .deleteBlob: ("o", "d")
        }
    }
}

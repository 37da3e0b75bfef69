import HubText
import NotificationHubs

/// An error of a ``BlobPayloadStore``.
///
/// The error contains no payload and no credential, so you can log it.
public struct BlobPayloadStoreError: Error, Hashable, Sendable, CustomStringConvertible {
    /// A kind of problem. New codes can be added, so every `switch` needs a `default`.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The code's name, stable across versions.
        public let rawValue: String

        /// The code's name.
        public var description: String { rawValue }

        private init(_ rawValue: String) { self.rawValue = rawValue }

        /// The storage service was unavailable for all attempts. The operation may have had its effect.
        public static let unavailable = Code("unavailable")
        /// The storage service rejected the credential, or the credential does not permit the operation.
        public static let accessDenied = Code("accessDenied")
        /// The container does not exist or is being deleted.
        public static let containerNotFound = Code("containerNotFound")
        /// Other instances changed the payload, or used all tried IDs, at each attempt.
        public static let tooManyConflicts = Code("tooManyConflicts")
        /// A blob was changed by another program, or the storage service's response cannot be parsed.
        public static let invalidResponse = Code("invalidResponse")
        /// The storage service rejected the request for another reason.
        public static let rejected = Code("rejected")
    }

    /// The kind of problem.
    public let code: Code
    /// The status of the service's response, if there was one.
    public let status: Int?
    /// The error code of the storage service, such as `AuthenticationFailed`, if there was one.
    public let serviceCode: String?
    /// The problem in one line.
    public let description: String

    /// Creates an error, for testing error handlers.
    ///
    /// - Parameters:
    ///   - code: The kind of problem.
    ///   - reason: The problem and its fix in one line.
    ///   - status: The status of the service's response.
    ///   - serviceCode: The error code of the storage service.
    public init(_ code: Code, _ reason: String, status: Int? = nil, serviceCode: String? = nil) {
        (self.code, self.status, self.serviceCode, description) = (code, status, serviceCode, reason)
    }
}

extension BlobPayloadStoreError {
    /// Creates an error from a response that does not indicate success.
    init(_ response: HubResponse) {
        let serviceCode = Self.serviceCode(response)
        let code: Code
        let advice: String
        switch (response.status, serviceCode) {
        case (401, _), (403, _):
            code = .accessDenied
            advice = "check the account key or the signature's permissions and expiry, and this machine's clock"
        case (_, "ContainerNotFound"), (_, "ContainerBeingDeleted"):
            (code, advice) = (.containerNotFound, "create the container")
        default:
            (code, advice) = (.rejected, "see the error codes of Azure Blob Storage")
        }
        let name = serviceCode.map { ", \($0)" } ?? ""
        self.init(
            code, "the storage service rejected the request (\(response.status)\(name)): \(advice)",
            status: response.status, serviceCode: serviceCode)
    }

    /// Creates an error from the failure of all attempts.
    init(_ error: HubError) {
        let status = error.status.map { " (\($0))" } ?? ""
        self.init(
            .unavailable,
            "the storage service was unavailable\(status) after \(error.attemptCount) attempts: try again later",
            status: error.status)
    }

    /// Returns the error code of a response, which is one word.
    static func serviceCode(_ response: HubResponse) -> String? {
        guard let code = response.headers["x-ms-error-code"], (1...100).contains(code.utf8.count),
            code.utf8.allSatisfy(\.isASCIILetterOrDigit)
        else { return nil }
        return code
    }
}

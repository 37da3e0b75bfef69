import HubCommandLine
import NotificationHubs

/// The options that contain the signed URL of a storage container, which is a secret.
enum ContainerOptions {
    /// Removes the options, and returns the URL; `nil` if neither is given.
    static func url(_ arguments: inout Arguments) throws(UsageError) -> NotificationHub.StorageURL? {
        try url(
            variable: try arguments.value(of: .containerURLEnv),
            file: try arguments.value(of: .containerURLFile))
    }

    /// Returns the URL in a variable or a file; `nil` without either.
    static func url(variable: String?, file: String?) throws(UsageError) -> NotificationHub.StorageURL? {
        guard variable == nil || file == nil else {
            throw UsageError("--container-url-env and --container-url-file cannot be combined")
        }
        let secret: HubSource.Connection? =
            variable.map { .variable(.init($0, from: .containerURLEnv)) }
            ?? file.map { .file(.init($0, from: .containerURLFile)) }
        return try secret.map { secret throws(UsageError) in
            let text = try secret.text(named: "the container's URL")
            return try UsageError.parsing(secret.label) { try NotificationHub.StorageURL(validating: text) }
        }
    }
}

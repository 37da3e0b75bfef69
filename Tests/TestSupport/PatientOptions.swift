package import NotificationHubs

extension NotificationHub.Options {
    /// For what is no matter of time: a busy machine may let any deadline pass.
    package static func patient(retry: RetryPolicy = RetryPolicy()) -> Self {
        Self(retry: retry, deadline: .seconds(100_000), attemptTimeout: .seconds(100_000))
    }
}

package import NotificationHubs

extension NotificationHub.Options {
    /// Returns options with very long timeouts, for tests that do not depend on time: on a busy machine, any shorter
    /// deadline can pass.
    package static func patient(retry: RetryPolicy = RetryPolicy()) -> Self {
        Self(retry: retry, deadline: .seconds(100_000), attemptTimeout: .seconds(100_000))
    }
}

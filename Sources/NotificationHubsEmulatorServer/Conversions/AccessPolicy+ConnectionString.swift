import NotificationHubsEmulator

extension HubEmulator.AccessPolicy {
    /// Returns a connection string with the policy's key.
    ///
    /// - Parameters:
    ///   - endpoint: The scheme, host and port of the server.
    ///   - withEmulatorSetting: Whether to include `UseDevelopmentEmulator=true` for plain HTTP.
    func connectionString(at endpoint: String, withEmulatorSetting: Bool = true) -> String {
        connectionString(endpoint: "sb\(endpoint.drop { $0 != ":" })/")
            + (endpoint.hasPrefix("https:") || !withEmulatorSetting ? "" : ";UseDevelopmentEmulator=true")
    }
}

extension HubEmulator {
    /// A form of the service's responses, named after the year of the recorded traffic.
    ///
    /// The service changed the headers and the Atom documents of registrations. Clients must accept both forms.
    public enum Profile: String, CaseIterable, Sendable {
        /// Registrations with the headers `ETag` and `Content-Location`.
        case service2022 = "2022"
        /// Registrations without these headers, and with IDs below `resources`.
        case service2024 = "2024"
    }
}

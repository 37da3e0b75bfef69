import NotificationHubs

/// Reconstruction of registration requests, of which only the responses were recorded.
enum RecordedRegistrations {
    /// Returns whether a path belongs to a registration call.
    static func contains(_ path: String) -> Bool { path.contains("/registration") }

    /// Returns the request for a response. In the response to a write, the expiration time has no time zone.
    static func request(path: String, _ response: RecordedCall.Response) -> (HubRequest.Method, HubHeaders, String) {
        let isSingle = !path.hasSuffix("/registrations")
        if response.status == 201 { return (.post, [:], "") }
        if response.body.isEmpty { return (.delete, ["If-Match": "\"*\""], "") }
        guard response.body.hasPrefix("<entry"), !response.body.contains("999Z</ExpirationTime>") else {
            return (.get, [:], "")
        }
        return (isSingle ? .put : .post, [:], entries(in: response.body)[0].request)
    }

    /// A registration in a response.
    struct Entry {
        let id: String
        let description: String

        /// The ID of the installation from which the service created the registration.
        var installationID: String? {
            description.firstMatch(of: /\$InstallationId:\{([^}]+)\}/).map { String($0.1) }
        }

        /// The entry that a client sends for the registration, without the elements that the service adds.
        var request: String {
            let sent = description.replacing(
                /<ETag>[^<]*<\/ETag>|<ExpirationTime>[^<]*<\/ExpirationTime>|<RegistrationId>[^<]*<\/RegistrationId>/,
                with: ""
            )
            .replacing("<Expiry i:nil=\"true\"/>", with: "").replacing("<ApnsHeaders/>", with: "")
            return
                "<entry xmlns=\"http://www.w3.org/2005/Atom\"><content type=\"application/xml\">\(sent)</content></entry>"
        }
    }

    static func entries(in body: String) -> [Entry] {
        body.matches(of: /<content type="application\/xml">(.*?)<\/content>/.dotMatchesNewlines()).compactMap { match in
            let description = String(match.1)
            guard let id = description.firstMatch(of: /<RegistrationId>([^<]+)/) else { return nil }
            return Entry(id: String(id.1), description: description)
        }
    }
}

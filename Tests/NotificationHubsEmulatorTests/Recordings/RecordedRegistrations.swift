import NotificationHubs

/// Calls about registrations, of which the answers alone were recorded: what was asked is made of what was answered.
enum RecordedRegistrations {
    /// Whether a call is one of them.
    static func has(_ path: String) -> Bool { path.contains("/registration") }

    /// What was asked: an entry that is answered without the zone of its end was written.
    static func request(path: String, _ response: RecordedCall.Response) -> (HubRequest.Method, HubHeaders, String) {
        let isOne = !path.hasSuffix("/registrations")
        if response.status == 201 { return (.post, [:], "") }
        if response.body.isEmpty { return (.delete, ["If-Match": "\"*\""], "") }
        guard response.body.hasPrefix("<entry"), !response.body.contains("999Z</ExpirationTime>") else {
            return (.get, [:], "")
        }
        return (isOne ? .put : .post, [:], entries(in: response.body)[0].request)
    }

    /// A registration in an answer.
    struct Entry {
        let id: String
        let description: String

        /// The id of the installation that the service has made it of.
        var installationID: String? {
            description.firstMatch(of: /\$InstallationId:\{([^}]+)\}/).map { String($0.1) }
        }

        /// The entry that a client sends for it: without what the service adds.
        var request: String {
            let own = description.replacing(
                /<ETag>[^<]*<\/ETag>|<ExpirationTime>[^<]*<\/ExpirationTime>|<RegistrationId>[^<]*<\/RegistrationId>/,
                with: ""
            )
            .replacing("<Expiry i:nil=\"true\"/>", with: "").replacing("<ApnsHeaders/>", with: "")
            return
                "<entry xmlns=\"http://www.w3.org/2005/Atom\"><content type=\"application/xml\">\(own)</content></entry>"
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

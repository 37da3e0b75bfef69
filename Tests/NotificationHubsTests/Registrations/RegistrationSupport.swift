import NotificationHubs
import Testing

extension Registration {
    static let atom = "http://www.w3.org/2005/Atom"
    static let connect = "http://schemas.microsoft.com/netservices/2010/10/servicebus/connect"
    static let instance = "http://www.w3.org/2001/XMLSchema-instance"

    /// Returns the body of the request that creates the registration.
    func created() async throws -> String {
        let transport = ScriptedTransport.returning("")
        _ = try? await NotificationHub.scripted(transport).createRegistration(self)
        return try #require(transport.requests.first).bodyText
    }
}

extension ScriptedTransport {
    /// Returns a transport that responds with an entry.
    static func returning(
        _ content: String, name: String = "GcmRegistrationDescription", status: Int = 200, headers: HubHeaders = [:]
    ) -> ScriptedTransport {
        ScriptedTransport { _ in
            HubResponse(status: status, headers: headers, body: Array(entry(content, name: name).utf8))
        }
    }
}

/// Returns an entry in the format of the service's 2018 front end.
func entry(_ content: String, name: String = "GcmRegistrationDescription", attributes: String = "") -> String {
    """
    <entry a:etag="W/&quot;7&quot;" xmlns="\(Registration.atom)" \
    xmlns:a="http://schemas.microsoft.com/ado/2007/08/dataservices/metadata"><id>https://h/push/registrations/1-2-3</id>\
    <title type="text">1-2-3</title><content type="application/xml"><\(name) xmlns="\(Registration.connect)" \
    xmlns:i="\(Registration.instance)"\(attributes)>\(content)</\(name)></content></entry>
    """
}

/// The elements that every kind of registration has in a response.
let common = "<ETag>1</ETag><RegistrationId>1-2-3</RegistrationId>"

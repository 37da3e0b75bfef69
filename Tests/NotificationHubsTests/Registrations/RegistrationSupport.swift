import NotificationHubs
import Testing

extension Registration {
    static let atom = "http://www.w3.org/2005/Atom"
    static let connect = "http://schemas.microsoft.com/netservices/2010/10/servicebus/connect"
    static let instance = "http://www.w3.org/2001/XMLSchema-instance"

    /// What a client sends to create it: the whole body.
    func created() async throws -> String {
        let transport = ScriptedTransport.answering("")
        _ = try? await NotificationHub.scripted(transport).createRegistration(self)
        return try #require(transport.requests.first).bodyText
    }
}

extension ScriptedTransport {
    /// A transport that answers with an entry of a description: its name and what is in it.
    static func answering(
        _ content: String, name: String = "GcmRegistrationDescription", status: Int = 200, headers: HubHeaders = [:]
    ) -> ScriptedTransport {
        ScriptedTransport { _ in
            HubResponse(status: status, headers: headers, body: Array(entry(content, name: name).utf8))
        }
    }
}

/// An entry as the service's front end of 2018 writes it.
func entry(_ content: String, name: String = "GcmRegistrationDescription", attributes: String = "") -> String {
    """
    <entry a:etag="W/&quot;7&quot;" xmlns="\(Registration.atom)" \
    xmlns:a="http://schemas.microsoft.com/ado/2007/08/dataservices/metadata"><id>https://h/push/registrations/1-2-3</id>\
    <title type="text">1-2-3</title><content type="application/xml"><\(name) xmlns="\(Registration.connect)" \
    xmlns:i="\(Registration.instance)"\(attributes)>\(content)</\(name)></content></entry>
    """
}

/// What the service says of a registration whatever its kind.
let common = "<ETag>1</ETag><RegistrationId>1-2-3</RegistrationId>"

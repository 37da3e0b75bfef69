import NotificationHubs
import NotificationHubsEmulator
import Testing

/// The content of a hub for tests of snapshots.
enum SnapshotScene {
    static func registration(tags: String) -> String {
        """
        <entry xmlns="http://www.w3.org/2005/Atom"><content type="application/xml"><AppleTemplateRegistrationDescription \
        xmlns="http://schemas.microsoft.com/netservices/2010/10/servicebus/connect"><Tags>\(tags)</Tags>\
        <DeviceToken>AB02</DeviceToken><BodyTemplate>{"aps":&#13;&#10;&#9;{"alert":"$(message)","end":"]]&gt;"}}</BodyTemplate>\
        </AppleTemplateRegistrationDescription></content></entry>
        """
    }

    static func job(_ container: HubEmulator.Container) -> String {
        """
        <entry xmlns="http://www.w3.org/2005/Atom"><content type="application/xml"><NotificationHubJob \
        xmlns="http://schemas.microsoft.com/netservices/2010/10/servicebus/connect"><Type>ExportRegistrations</Type>\
        <OutputContainerUri><![CDATA[\(container.url.rawValue)]]></OutputContainerUri></NotificationHubJob></content></entry>
        """
    }

    @discardableResult
    static func schedule(_ scene: Scene, _ body: String = "{}") throws -> String {
        let response = try scene.send(
            body, tags: "a && !b", path: "/schedulednotifications",
            ["ServiceBusNotification-ScheduleTime": "2030-01-01T00:10:00"])
        #expect(response.status == 201)
        return response.id
    }

    static func put(_ registration: String, id: String, _ scene: Scene) throws -> HubResponse {
        try scene.call(
            .put, "/registrations/\(id)", "api-version=2020-06", ["Content-Type": "application/atom+xml"], registration)
    }

    /// Fills a hub with at least one item of each kind.
    static func fill(_ scene: Scene) throws {
        let templates = #""templates":{"alert":{"body":"{\"aps\":{\"alert\":\"$(message)\"}}"}},"userId":"zoe""#
        let members = #""tags":["a"],"pushVariables":{"v":"\u0001ë"},"other":[1.50],\#(templates)"#
        #expect(try scene.putPhone(members).status == 200)
        #expect(try scene.patch(#"[{"op":"add","path":"/tags","value":"c,d"}]"#).status == 200)
        try scene.putPhone(#""expirationTime":"2030-02-01T00:00:00.5Z""#, id: "brief")
        for id in ["r-1", "r-2", "r-2", "r-3"] {
            #expect(try put(registration(tags: "a,\(id)"), id: id, scene).status == 200)
        }
        try scene.call(.delete, "/registrations/r-3", "api-version=2020-06", ["If-Match": "*"])
        scene.wait(0.25)
        try schedule(scene, #"{"message":"\u0000 \" \\ \r\n é"}"#)
        let container = try scene.emulator.makeContainer(named: "jobs")
        try container.write([0xff, 0x00, 0x0a], to: "in/ä %.bin")
        #expect(try scene.call(.post, "/jobs", "api-version=2020-06", [:], job(container)).status == 201)
        try scene.call(.get, "/jobs")
        scene.emulator.expire(.apple(deviceToken: [1, 2]))
        scene.emulator.expire(.browser(.init(endpoint: "https://example.com/b", p256dh: "p", auth: "a")))
    }
}

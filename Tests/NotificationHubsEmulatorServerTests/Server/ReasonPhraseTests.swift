import HubServer
import NotificationHubs
import Testing

@testable import NotificationHubsEmulatorServer

@Suite struct ReasonPhraseTests {
    @Test(arguments: [
        (401, "<Error><Detail>40103: Invalid signature.TrackingId:1</Detail>", "40103: Invalid signature"),
        (401, "<Error><Detail>40103: a\r\nb.TrackingId:1</Detail>", nil),
        (401, "<Error><Detail>40103: a&amp;b.TrackingId:1</Detail>", nil),
        (401, "<Error><Detail>Manage claim is required.TrackingId:1</Detail>", nil),
        (401, "", nil), (403, "<Detail>40103: Invalid signature.TrackingId:1</Detail>", nil),
    ])
    func `is the subcode of a rejected token`(status: Int, body: String, phrase: String?) {
        #expect(HTTPResponse(HubResponse(status: status, body: Array(body.utf8))).reason == phrase)
    }
}

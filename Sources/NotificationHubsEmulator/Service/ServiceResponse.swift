import NotificationHubs

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Responses in the form that the service gives them.
enum ServiceResponse {
    /// A response without a body.
    static func empty(status: Int) -> HubResponse {
        respond(status: status, body: [])
    }

    /// A body of JSON. The service labels it as XML.
    static func json(_ bytes: [UInt8]) -> HubResponse {
        respond(status: 200, body: bytes)
    }

    /// An error with the service's XML body.
    static func error(status: Int, _ text: String) -> HubResponse {
        let trackingID = UUID().uuidString.lowercased()
        let detail = "\(text).TrackingId:\(trackingID),TimeStamp:\(Date().formatted(.iso8601))"
        let body = "<Error><Code>\(status)</Code><Detail>\(escaped(detail))</Detail></Error>"
        return respond(status: status, body: Array(body.utf8), trackingID: trackingID)
    }

    private static func respond(
        status: Int, body: [UInt8], trackingID: String = UUID().uuidString.lowercased()
    ) -> HubResponse {
        HubResponse(
            status: status,
            headers: [
                "Content-Type": "application/xml; charset=utf-8",
                "TrackingId": trackingID,
                "x-ms-correlation-request-id": UUID().uuidString.lowercased(),
            ],
            body: body)
    }

    private static func escaped(_ text: String) -> String {
        text.reduce(into: "") { escaped, character in
            switch character {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            default: escaped.append(character)
            }
        }
    }
}

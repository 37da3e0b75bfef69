import NotificationHubs

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Responses in the form that the service gives them.
enum ServiceResponse {
    private static let xmlType = "application/xml; charset=utf-8"

    /// A write to an installation was taken. There is no body, but its type is said.
    static func written(status: Int) -> HubResponse {
        respond(status: status, ["Content-Type": xmlType])
    }

    /// A body of JSON. The service labels it as XML.
    static func json(_ bytes: [UInt8]) -> HubResponse {
        respond(status: 200, ["Content-Type": xmlType], body: bytes)
    }

    /// A body of XML.
    static func xml(status: Int, _ text: String) -> HubResponse {
        respond(status: status, ["Content-Type": xmlType], body: Array(text.utf8))
    }

    /// A registration or several.
    ///
    /// - Parameter type: `entry` or `feed`.
    static func atom(_ text: String, type: String) -> HubResponse {
        respond(
            status: 200, ["Content-Type": "application/atom+xml; type=\(type); charset=utf-8"], body: Array(text.utf8))
    }

    /// A text alone.
    static func text(_ text: String) -> HubResponse {
        respond(status: 200, ["Content-Type": "text/plain; charset=utf-8"], body: Array(text.utf8))
    }

    /// Something was made that is at a URL.
    static func created(at location: String) -> HubResponse {
        respond(status: 201, ["Location": location])
    }

    /// A message was taken.
    ///
    /// - Parameter location: the notification's URL, which only a hub of the Standard tier says.
    static func accepted(status: Int = 201, location: String?) -> HubResponse {
        var headers: HubHeaders = ["X-Powered-By": "Azure Notification Hubs"]
        headers["Location"] = location
        return respond(status: status, headers)
    }

    /// A response without a body, and without saying anything of it.
    static func empty(status: Int) -> HubResponse {
        respond(status: status, [:])
    }

    /// An error with the service's XML body.
    static func error(status: Int, _ text: String, now: Date) -> HubResponse {
        let trackingID = UUID().uuidString.lowercased()
        let detail = "\(text).TrackingId:\(trackingID)_G1,TimeStamp:\(ServiceTime.stamp(now))"
        let body = "<Error><Code>\(status)</Code><Detail>\(XMLText.escaped(detail))</Detail></Error>"
        return respond(status: status, ["Content-Type": xmlType], body: Array(body.utf8), trackingID: trackingID)
    }

    private static func respond(
        status: Int, _ headers: HubHeaders, body: [UInt8] = [], trackingID: String = UUID().uuidString.lowercased()
    ) -> HubResponse {
        var headers = headers
        headers["TrackingId"] = trackingID
        headers["x-ms-correlation-request-id"] = UUID().uuidString.lowercased()
        return HubResponse(status: status, headers: headers, body: body)
    }
}

/// Why the service does not do what it is asked: the status and the text of its answer.
struct ServiceRefusal: Error, Hashable {
    let status: Int
    let text: String

    init(_ status: Int, _ text: String) {
        self.status = status
        self.text = text
    }

    /// What is asked for is not what the service can read, or not what it takes.
    static func badRequest(_ text: String) -> ServiceRefusal { ServiceRefusal(400, text) }

    /// Something that a hub of a lower tier does not do. The service's clients know it by these words.
    static func tier(_ what: String) -> ServiceRefusal {
        ServiceRefusal(403, "\(what) is not available for your tier")
    }
}

package import NotificationHubs

#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

/// A factory of responses in the service's form.
package enum ServiceResponse {
    static let xmlType = "application/xml; charset=utf-8"
    /// The media type of newer responses with registrations.
    static let plainXMLType = "application/xml"

    /// Returns the response to an accepted write to an installation: in older responses, a `Content-Type` without a body.
    static func written(status: Int, _ profile: HubEmulator.Profile) -> HubResponse {
        respond(status: status, profile == .service2022 ? ["Content-Type": xmlType] : [:])
    }

    /// Returns a response with a JSON body, which the service labels as XML.
    static func json(_ bytes: [UInt8]) -> HubResponse {
        respond(status: 200, ["Content-Type": xmlType], body: bytes)
    }

    /// Returns a response with an XML body.
    static func xml(status: Int, _ text: String) -> HubResponse {
        respond(status: status, ["Content-Type": xmlType], body: Array(text.utf8))
    }

    /// Returns a response with an Atom body.
    ///
    /// - Parameters:
    ///   - text: The body.
    ///   - type: The document's type, `entry` or `feed`.
    static func atom(_ text: String, type: String) -> HubResponse {
        respond(status: 200, ["Content-Type": atomType(type)], body: Array(text.utf8))
    }

    /// Returns a response with an Atom document that the emulator builds from its state.
    package static func atom(_ document: XMLElement) throws(ServiceError) -> HubResponse {
        do {
            let bytes = try XMLWriter.write(document, declaration: false)
            return respond(status: 200, ["Content-Type": atomType(document.name)], body: bytes)
        } catch {
            throw ServiceError(500, "cannot write the response: \(error)")
        }
    }

    /// Returns the media type of an Atom document: an `entry` or a `feed`.
    static func atomType(_ type: String) -> String { "application/atom+xml; type=\(type); charset=utf-8" }

    /// Returns a response with a plain text body.
    static func text(_ text: String) -> HubResponse {
        respond(status: 200, ["Content-Type": "text/plain; charset=utf-8"], body: Array(text.utf8))
    }

    /// Returns the response for a new resource at a URL.
    static func created(at location: String) -> HubResponse {
        respond(status: 201, ["Location": location])
    }

    /// Returns the response for an accepted message, or for a cancelled one.
    ///
    /// - Parameters:
    ///   - status: The status.
    ///   - location: The notification's URL, which is only available in the Standard tier.
    static func accepted(status: Int = 201, location: String?) -> HubResponse {
        var headers: HubHeaders = ["X-Powered-By": "Azure Notification Hubs"]
        headers["Location"] = location
        return respond(status: status, headers)
    }

    /// Returns a response without a body or a `Content-Type`.
    package static func empty(status: Int) -> HubResponse {
        respond(status: status, [:])
    }

    /// Returns an error response with the service's XML body.
    package static func error(status: Int, _ text: String, now: Date) -> HubResponse {
        let trackingID = RandomID.uuid()
        let detail = "\(text).TrackingId:\(trackingID)_G1,TimeStamp:\(ServiceTime.stamp(now))"
        let body = "<Error><Code>\(status)</Code><Detail>\(XMLText.escaped(detail))</Detail></Error>"
        return respond(status: status, ["Content-Type": xmlType], body: Array(body.utf8), trackingID: trackingID)
    }

    /// Returns the response for an error.
    package static func error(_ error: ServiceError, now: Date) -> HubResponse {
        // The service sends no body if the key lacks a right.
        error == .missingRight
            ? empty(status: error.status) : Self.error(status: error.status, error.detail, now: now)
    }

    private static func respond(
        status: Int, _ headers: HubHeaders, body: [UInt8] = [], trackingID: String = RandomID.uuid()
    ) -> HubResponse {
        var headers = headers
        headers["TrackingId"] = trackingID
        headers["x-ms-correlation-request-id"] = RandomID.uuid()
        return HubResponse(status: status, headers: headers, body: body)
    }
}

/// An error response: its status and its detail.
package struct ServiceError: Error, Hashable {
    let status: Int
    let detail: String

    package init(_ status: Int, _ detail: String) {
        self.status = status
        self.detail = detail
    }

    /// The error for a valid token whose policy lacks the required right.
    package static let missingRight = ServiceError(403, "")

    /// Returns the error for an invalid request.
    package static func badRequest(_ detail: String) -> ServiceError { ServiceError(400, detail) }

    /// Returns the error for a feature that the hub's tier lacks. Clients recognize the service's text.
    static func unavailableInTier(_ feature: String) -> ServiceError {
        ServiceError(403, "\(feature) is not available for your tier")
    }
}

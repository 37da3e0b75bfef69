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

/// Text in XML.
enum XMLText {
    /// A text as it stands in an element; with its quotes escaped, in an attribute too.
    static func escaped(_ text: some StringProtocol, quotes: Bool = false) -> String {
        text.unicodeScalars.reduce(into: "") { escaped, scalar in
            switch scalar {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"" where quotes: escaped += "&quot;"
            case "'" where quotes: escaped += "&apos;"
            case "\t", "\n", "\r": escaped += quotes ? "&#\(scalar.value);" : String(scalar)
            case _ where isUnwritable(scalar): break
            default: escaped.unicodeScalars.append(scalar)
            }
        }
    }

    /// A text as it stands in a section of CDATA, whose end it cannot be: it goes on in another section there, and behind a
    /// carriage return, which readers would make a line feed of.
    static func inSection(_ text: String) -> String {
        let scalars = text.unicodeScalars.filter { !isUnwritable($0) }
        return String(
            scalars.replacing("]]>".unicodeScalars, with: "]]]]><![CDATA[>".unicodeScalars)
                .replacing("\r".unicodeScalars, with: "]]>&#13;<![CDATA[".unicodeScalars))
    }

    /// Whether nothing in XML 1.0 stands for a character.
    private static func isUnwritable(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "\t", "\n", "\r": false
        case "\u{0}"..."\u{1f}", "\u{fffe}", "\u{ffff}": true
        default: false
        }
    }
}

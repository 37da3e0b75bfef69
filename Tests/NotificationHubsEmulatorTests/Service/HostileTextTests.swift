import Foundation
import HubTestSupport
import HubText
import NotificationHubs
import Testing

@testable import NotificationHubsEmulator

/// Requests with strings for which a comparison or a hash by `String` takes quadratic time.
@Suite struct HostileTextTests {
    private struct Request: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let method: HubRequest.Method
        let path: String
        let headers: HubHeaders
        let body: String

        init(
            _ description: String, _ method: HubRequest.Method, _ path: String, _ headers: HubHeaders = [:],
            _ body: String
        ) {
            (testDescription, self.method, self.path, self.headers, self.body) = (
                description, method, path, headers, body
            )
        }

        static func put(_ members: String) -> Request {
            Request(
                "PUT \(members)", .put, "/installations/phone", ["Content-Type": "application/json"],
                "{\"installationId\":\"phone\",\(members)}")
        }

        static func patch(_ operation: String) -> Request {
            Request("PATCH \(operation)", .patch, "/installations/phone", [:], "[\(operation)]")
        }

        static func registration(_ xml: String, kind: String = "Gcm", _ attributes: String = "") -> Request {
            Request(
                "POST \(kind) \(attributes)\(xml)", .post, "/registrations", [:],
                """
                <entry xmlns="http://www.w3.org/2005/Atom"><content type="application/xml"><\(kind)RegistrationDescription \
                xmlns="http://schemas.microsoft.com/netservices/2010/10/servicebus/connect" \(attributes)>\(xml)\
                </\(kind)RegistrationDescription></content></entry>
                """)
        }

        static func send(_ body: String, _ headers: HubHeaders = [:], format: String = "template") -> Request {
            var headers = headers
            headers["ServiceBusNotification-Format"] = format
            headers["Content-Type"] = "application/json"
            return Request(
                "POST \(headers.fields.map { "\($0.name): \($0.value)" }.joined(separator: ", ")) \(body)", .post,
                "/messages", headers, body)
        }
    }

    /// `MARKS` stands for a letter with many combining marks in the wrong order.
    private static let requests: [Request] = [
        .put(#""platform":"MARKS","pushChannel":"a""#),
        .put(#""platform":"gcm","pushChannel":"MARKS""#),
        .put(#""platform":"gcm","pushChannel":"a","userId":"MARKS""#),
        .put(#""platform":"gcm","pushChannel":"a","expirationTime":"MARKS""#),
        .put(#""platform":"gcm","pushChannel":"a","tags":["MARKS"]"#),
        .put(#""platform":"gcm","pushChannel":"a","MARKS":"a""#),
        .put(#""platform":"gcm","pushChannel":"a","other":"MARKS""#),
        .put(#""platform":"gcm","pushChannel":"a","pushVariables":{"a":"MARKS"}"#),
        .put(#""platform":"gcm","pushChannel":"a","pushVariables":{"MARKS":"a"}"#),
        .put(#""platform":"gcm","pushChannel":"a","templates":{"t":{"body":"{\"a\":\"MARKS\"}"}}"#),
        .put(#""platform":"gcm","pushChannel":"a","templates":{"t":{"body":"MARKS"}}"#),
        .put(#""platform":"gcm","pushChannel":"a","templates":{"t":{"body":"{\"MARKS\":1}"}}"#),
        .put(#""platform":"gcm","pushChannel":"a","templates":{"t":{"body":"{\"a\":\"$(MARKS)\"}"}}"#),
        .put(#""platform":"gcm","pushChannel":"a","templates":{"t":{"body":"{}","tags":["MARKS"]}}"#),
        .put(#""platform":"gcm","pushChannel":"a","templates":{"t":{"body":"{}","expiry":"MARKS"}}"#),
        .put(#""platform":"gcm","pushChannel":"a","templates":{"t":{"body":"{}","headers":{"a":"MARKS"}}}"#),
        .put(#""platform":"apns","pushChannel":"a","templates":{"t":{"body":"{}","headers":{"apns-topic":"MARKS"}}}"#),
        .put(#""platform":"gcm","pushChannel":"a","templates":{"t":{"body":"{}","headers":{"MARKS":"a"}}}"#),
        .put(
            #""platform":"browser","pushChannel":{"endpoint":"https://MARKS/","p256dh":"MARKS","auth":"MARKS","o":"MARKS"}"#
        ),
        .put(#""platform":"wns","pushChannel":"a","secondaryTiles":{"s":{"pushChannel":"MARKS"}}"#),
        .put(
            #""platform":"wns","pushChannel":"a","templates":{"t":{"body":"<toast MARKS='1'/>","headers":{"X-WNS-Type":"wns/toast"}}}"#
        ),
        .put(
            #""platform":"wns","pushChannel":"a","templates":{"t":{"body":"<toast a='MARKS'><MARKS/>MARKS</toast>","headers":{"X-WNS-Type":"MARKS"}}}"#
        ),
        .patch(#"{"op":"MARKS","path":"/tags","value":"a"}"#),
        .patch(#"{"op":"add","path":"/MARKS","value":"a"}"#),
        .patch(#"{"op":"add","path":"/templates/MARKS","value":"{\"body\":\"{}\"}"}"#),
        .patch(#"{"op":"add","path":"/tags","value":"MARKS"}"#),
        .patch(#"{"op":"add","path":"/tags","value":["MARKS","b"]}"#),
        .patch(#"{"op":"add","path":"/pushChannel","value":"MARKS"}"#),
        .patch(#"{"op":"add","path":"/userId","value":"MARKS"}"#),
        .registration("<GcmRegistrationId>MARKS</GcmRegistrationId>"),
        .registration("<Tags>MARKS</Tags><GcmRegistrationId>a</GcmRegistrationId>"),
        .registration("<MARKS>a</MARKS><GcmRegistrationId>a</GcmRegistrationId>"),
        .registration("<GcmRegistrationId>a</GcmRegistrationId>", "MARKS=\"a\""),
        .registration("<GcmRegistrationId>a</GcmRegistrationId>", "x=\"MARKS\" y:MARKS=\"MARKS\""),
        .registration("", kind: "MARKS"),
        .registration(
            "<GcmRegistrationId>a</GcmRegistrationId><BodyTemplate>MARKS</BodyTemplate>", kind: "GcmTemplate"),
        .registration(
            "<GcmRegistrationId>a</GcmRegistrationId><BodyTemplate>{}</BodyTemplate><TemplateName>MARKS</TemplateName>",
            kind: "GcmTemplate"),
        .registration("<PushVariables>{\"a\":\"MARKS\"}</PushVariables><GcmRegistrationId>a</GcmRegistrationId>"),
        .send(#"{"a":"MARKS"}"#),
        .send(#"{"MARKS":"a"}"#),
        .send(#"{"data":{"a":"MARKS"}}"#, format: "gcm"),
        .send(#"{"aps":{"alert":"MARKS","sound":"MARKS"},"MARKS":1}"#, format: "apple"),
        .send("{}", ["ServiceBusNotification-Tags": "MARKS"]),
        .send("{}", ["apns-topic": "MARKS"]),
        .send("{}", ["Tags": "MARKS"]),
        .send("{}", format: "MARKS"),
        Request("direct", .post, "/messages", ["ServiceBusNotification-Format": "gcm"], "MARKS"),
        Request("job type", .post, "/jobs", [:], job("<Type>MARKS</Type>")),
        Request(
            "job container", .post, "/jobs", [:],
            job("<Type>ExportRegistrations</Type><OutputContainerUri>MARKS</OutputContainerUri>")),
        Request("schedule", .post, "/schedulednotifications", ["ServiceBusNotification-ScheduleTime": "MARKS"], "{}"),
        Request("path", .get, "/installations/MARKS", [:], ""),
        Request("path below the hub", .get, "/MARKS", [:], ""),
    ]

    private static func job(_ xml: String) -> String {
        """
        <entry xmlns="http://www.w3.org/2005/Atom"><content type="application/xml"><NotificationHubJob \
        xmlns="http://schemas.microsoft.com/netservices/2010/10/servicebus/connect">\(xml)</NotificationHubJob></content></entry>
        """
    }

    @Test(arguments: requests)
    private func `takes linear time for a string with many combining marks`(request: Request) throws {
        let scene = try Scene()
        try scene.putPhone(#""templates":{"t":{"body":"{\"a\":\"$(a)\"}"}}"#, platform: "gcm")
        let isLinear = try takesLinearTime(
            from: 2000,
            of: { size in
                let (above, inside) = (
                    String(repeating: "\u{301}", count: size), String(repeating: "\u{334}", count: size)
                )
                return "a\(above)\(inside)"
            }
        ) { marks in
            let fill = { (text: String) in text.replacing("MARKS", with: marks) }
            var headers: HubHeaders = [:]
            for field in request.headers.fields { headers[field.name] = fill(field.value) }
            let path = fill(request.path).addingPercentEncoding(withAllowedCharacters: .urlPathAllowed) ?? ""
            try scene.call(request.method, path, "api-version=2020-06", headers, fill(request.body))
            _ = try scene.send(#"{"a":"b"}"#, query: "test&api-version=2020-06")
            scene.emulator.reportRepeatedWarnings()
        }
        #expect(isLinear)
    }
}

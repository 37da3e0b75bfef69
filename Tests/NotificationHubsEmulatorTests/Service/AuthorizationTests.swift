import Foundation
import NotificationHubs
import NotificationHubsEmulator
import SharedAccessSignature
import Testing

@Suite struct AuthorizationTests {
    let scene: Scene
    let full = HubEmulator.AccessPolicy(
        name: "full", secondaryKey: HubEmulator.AccessPolicy.randomKey(), rights: [.listen, .send, .manage])

    init() throws {
        scene = try Scene(
            policies: [
                full, HubEmulator.AccessPolicy(name: "listen", rights: [.listen]),
                HubEmulator.AccessPolicy(name: "send", rights: [.send]),
            ])
    }

    static let path = "/installations/Phone-1"
    static let expiry = Int64(Scene.start.timeIntervalSince1970) + 60

    /// The encoding and the signed resource of each SDK. The resource is the namespace, the hub or the request's URL.
    static let signedResources: [(SASEncoding, String)] = [
        (.dotNet, "/push\(path)?api-version=2020-06"), (.dotNetFramework, "/push\(path)"),
        (.javaScript, "/push\(path)"),
        (.java, "/push\(path)?api-version=2020-06"), (.iOS, "/push\(path)?api-version=2020-06"),
        (.swiftTutorial, "/Push"), (.go, "/push"), (.python, "/push"), (.serviceBusDotNet, "/push/"),
        (.eventHubsJava, "/push"), (.standard, "/push"), (.verbatim, "/PUSH/Installations"), (.verbatim, ""),
    ]

    @Test(arguments: signedResources)
    func `accepts the token of every SDK`(encoding: SASEncoding, resource: String) throws {
        let key = SharedAccessKey(name: full.name, secret: full.key)
        let signer = SASSigner(key: key, resource: Scene.endpoint + resource, encoding: encoding)
        let token = signer.token(expiringAt: Self.expiry).headerValue
        #expect(try scene.call(.get, Self.path, authorization: token).status == 404)
    }

    @Test func `accepts a token of the secondary key`() throws {
        let key = SharedAccessKey(name: full.name, secret: try #require(full.secondaryKey))
        let token = SASSigner(key: key, resource: Scene.endpoint + "/push").token(expiringAt: Self.expiry)
        #expect(try scene.call(.get, Self.path, authorization: token.headerValue).status == 404)
    }

    @Test(arguments: [
        ("/installations/phone-10", false), ("/installations/phone-1", true), ("/installations/phone-1/", true),
        ("/installations/", true), ("/inst", false), ("/messages", false), ("/installations/phone-1/more", false),
    ])
    func `accepts a token only below its resource`(scope: String, isAccepted: Bool) throws {
        let token = scene.token(resource: Scene.endpoint + "/push" + scope)
        let response = try scene.call(.get, Self.path, authorization: token)
        #expect(response.status == (isAccepted ? 404 : 401))
        #expect(isAccepted || response.text.contains("40104: Invalid authorization token audience.TrackingId:"))
    }

    @Test(arguments: [
        ("Bearer x", "40105: Malformed authorization token"), ("SharedAccessSignature x", "40105: Malformed"),
        ("SharedAccessSignature sr=a&sig=a&se=1&skn=k", "40105"), ("SharedAccessSignature sr=a&sr=a", "40105"),
        ("SharedAccessSignature sig=\(signature)&se=1&skn=k", "40107: Missing audience"),
        ("SharedAccessSignature sr=a&sig=\(signature)&skn=k", "40108: Missing expiry"),
        ("SharedAccessSignature sr=a&sig=\(signature)&se=1", "40109: Missing issuer"),
        ("SharedAccessSignature sr=a&se=1&skn=k", "40110: Missing signature"),
        (
            "SharedAccessSignature sr=a&sig=\(signature)&se=1&skn=unknown",
            "40103: Invalid authorization token signature"
        ),
    ])
    func `reports the subcode of a token error`(header: String, text: String) throws {
        let response = try scene.call(.get, Self.path, authorization: header)
        #expect(response.status == 401)
        #expect(response.text.contains("<Detail>\(text)"))
    }

    static let signature = String(repeating: "A", count: 43) + "%3d"

    @Test(arguments: [
        (HubRequest.Method.get, "/installations/x", [404, 404, 403]), (.put, "/installations/x", [400, 400, 403]),
        (.post, "/messages", [400, 403, 400]), (.post, "/messages/$batch", [400, 403, 400]),
        (.post, "/schedulednotifications", [400, 403, 400]), (.delete, "/schedulednotifications/x", [404, 403, 404]),
        (.get, "/messages/x", [404, 403, 403]),
    ])
    func `sends 403 with an empty body if a right is missing`(
        method: HubRequest.Method, path: String, statuses: [Int]
    ) throws {
        for (policy, status) in statuses.enumerated() {
            let response = try scene.call(method, path, authorization: scene.token(policy: policy))
            #expect(response.status == status)
            if status == 403 { #expect(response.body.isEmpty && response.headers["Content-Type"] == nil) }
            #expect(response.headers["TrackingId"] != nil && response.headers["x-ms-correlation-request-id"] != nil)
        }
    }
}

package import NotificationHubs
import SharedAccessSignature

extension HubEmulator {
    /// A request of the emulator's own, signed with a key of the hub; `nil` if no policy has the right.
    func request(
        _ method: HubRequest.Method, _ path: String, _ headers: HubHeaders, body: [UInt8], right: AccessPolicy.Right
    ) -> HubRequest? {
        guard let policy = policies.first(where: { $0.rights.contains(right) }),
            let endpoint = try? ServiceEndpoint("http://127.0.0.1", isDevelopmentEmulator: true),
            let signer = try? SASSigner(
                key: SharedAccessKey(name: policy.name, secret: policy.key), endpoint: endpoint, hub: hubName.text)
        else { return nil }
        var headers = headers
        headers["Authorization"] = signer.token(validFor: .seconds(60), now: seconds).headerValue
        return HubRequest(
            method, endpoint: endpoint, path: "/\(hubName)\(path)", query: "api-version=2020-06", headers: headers,
            body: body)
    }

    /// Puts an installation by a request, as a backend would, but without the delay of writes.
    ///
    /// - Throws: ``NotTaken``, with the hub's words.
    package func seed(_ installation: Installation) throws {
        var installation = installation
        installation.isPushChannelExpired = nil
        let request = request(
            .put, "/installations/\(installation.id)", ["Content-Type": "application/json"], body: installation.json,
            right: .listen)
        guard let request else { throw NotTaken(description: "the hub has no policy that may put installations") }
        let response = respondAtOnce(to: request)
        guard response.status == 200 else {
            throw NotTaken(description: "the hub answers \(response.status): \(response.serviceDetail)")
        }
    }

    /// Why the hub did not take something.
    package struct NotTaken: Error, CustomStringConvertible {
        package let description: String
    }
}

extension HubResponse {
    /// What an answer of the service says, without the ids behind it.
    var serviceDetail: String {
        let detail = (try? XMLReader.read(body))?["Detail"]?.text ?? String(decoding: body, as: UTF8.self)
        return String(detail[..<(detail.firstRange(of: ".TrackingId:")?.lowerBound ?? detail.endIndex)])
    }
}

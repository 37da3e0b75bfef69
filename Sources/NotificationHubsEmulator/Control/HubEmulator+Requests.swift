package import NotificationHubs
import SharedAccessSignature

extension HubEmulator {
    /// A request of the emulator's own, signed with a key of the hub; `nil` if no policy has the right.
    func request(
        _ method: HubRequest.Method, _ path: String, _ headers: HubHeaders, body: [UInt8],
        right: HubEmulator.AccessPolicy.Right
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

    /// Takes an installation, without the delay of writes.
    ///
    /// It is checked as one that is put, but for its tags: what a PATCH has made of them is taken too, so that a hub can begin
    /// with what another one had.
    ///
    /// - Throws: ``NotTaken``, with the hub's words.
    package func seed(_ installation: Installation) throws(NotTaken) {
        let now = now()
        let refusal = change { state -> ServiceRefusal? in
            do throws(ServiceRefusal) {
                try state.take(installation, trustsTags: true, now: now, due: now)
                state.carryOut(now: now)
                return nil
            } catch {
                return error
            }
        }
        if let refusal { throw NotTaken(description: "the hub answers \(refusal.status): \(refusal.text)") }
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
